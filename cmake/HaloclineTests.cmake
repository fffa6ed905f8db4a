# SPDX-License-Identifier: BSD-3-Clause
include(GoogleTest)

# Tests run on host devices on every machine; tests/gpu sets this to auto.
set(HALOCLINE_TEST_BACKEND host)

# ctest runs tests concurrently. Most programs keep several cores busy (ranks as threads, workers of host devices) and
# have deadlines: with 2 they run alone on a machine of two cores. A folder of single-threaded programs sets 1.
if(NOT HALOCLINE_TEST_PROCESSORS)
  set(HALOCLINE_TEST_PROCESSORS 2)
endif()

# Flags and precompiled headers of all test programs. Compiling takes longer than running: they are optimised little,
# and several files are compiled as one. Names in their unnamed namespaces must differ.
if(NOT TARGET halocline_test_flags)
  add_library(halocline_test_flags INTERFACE)
  target_compile_options(halocline_test_flags INTERFACE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-Og>)
  target_link_libraries(halocline_test_flags INTERFACE halocline_build_flags GTest::gtest GTest::gmock fmt::fmt)
  if(HALOCLINE_PRECOMPILE)
    # With several files as one, a name may shadow a name of another file.
    target_compile_options(halocline_test_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow>)
    set(source ${PROJECT_BINARY_DIR}/tests/headers.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Nothing but the precompiled headers.\n")
    add_library(halocline_test_headers OBJECT ${source})
    target_link_libraries(halocline_test_headers PRIVATE halocline_build_flags halocline_test_flags)
    # With the flags of programs.
    set_target_properties(halocline_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(halocline_test_headers PRIVATE -fPIE)
    halocline_precompile(halocline_test_headers
      HEADERS ${HALOCLINE_COMMON_HEADERS} <random> <fmt/core.h> <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endif()

# halocline_add_cases(name SOURCES a.cpp b.cpp LINK ...): a program of GoogleTest cases, without a test that runs it.
function(halocline_add_cases name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE halocline_build_flags halocline_test_flags ${arg_LINK})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src)
  halocline_precompile(${name} FROM halocline_test_headers)
  halocline_compile_together(${name})
endfunction()

# In front of the command of a test that may be skipped, with what decides it; such a test has SKIP_RETURN_CODE 77.
set(HALOCLINE_SKIPPABLE ${PROJECT_SOURCE_DIR}/tests/support/skippable.sh)

# halocline_add_test(unit_core SOURCES a.cpp b.cpp LINK halocline::core)
# One program of GoogleTest cases is one test of ctest, because starting a program takes longer than a case. Two filters of cases make
# tests of their own: WAITING, cases that wait most of their time, for deadlines, in <name>_waiting, which runs beside others; and ALONE,
# cases that compare times, in <name>_alone, which runs beside none. ENVIRONMENT: of all three.
function(halocline_add_test name)
  cmake_parse_arguments(arg "" "TIMEOUT;WAITING;ALONE" "SOURCES;LINK;LABELS;ENVIRONMENT" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(HALOCLINE_SANITIZE)
    math(EXPR arg_TIMEOUT "2 * ${arg_TIMEOUT}")
  endif()
  halocline_add_cases(${name} SOURCES ${arg_SOURCES} LINK ${arg_LINK} GTest::gtest_main)
  set(tests ${name})
  set(others "")
  foreach(part WAITING ALONE)
    if(arg_${part})
      string(TOLOWER ${name}_${part} of_part)
      list(APPEND tests ${of_part})
      list(APPEND others ${arg_${part}})
      add_test(NAME ${of_part} COMMAND ${name} --gtest_filter=${arg_${part}})
    endif()
  endforeach()
  if(others)
    list(JOIN others ":" others)
    set(others --gtest_filter=-${others})
  endif()
  add_test(NAME ${name} COMMAND ${name} ${others})
  set_tests_properties(${tests} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}" PROCESSORS 1
                       ENVIRONMENT "HALOCLINE_BACKEND=${HALOCLINE_TEST_BACKEND};${arg_ENVIRONMENT}")
  set_tests_properties(${name} PROPERTIES PROCESSORS ${HALOCLINE_TEST_PROCESSORS})
  if(arg_ALONE)
    set_tests_properties(${name}_alone PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# The flags with which the MPI that was found starts more ranks than cores.
if(HALOCLINE_HAVE_MPI AND NOT DEFINED HALOCLINE_MPIEXEC_FLAGS)
  execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE version ERROR_QUIET)
  if(version MATCHES "Open MPI|OpenRTE|open-mpi")
    set(flags --oversubscribe --bind-to none)
  else()
    set(flags "")
  endif()
  set(HALOCLINE_MPIEXEC_FLAGS "${flags}" CACHE STRING "Arguments of mpiexec in tests, besides the number of ranks")
endif()
# Open MPI refuses to run as root, and warns about containers that forbid a process to read another one's memory.
set(HALOCLINE_MPI_TEST_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    GTEST_COLOR=no OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_rmaps_base_oversubscribe=1)

# Leaks of MPI are recognised only by unwinding each allocation through frames without frame pointers, which is many
# times slower; so only MPI jobs do so.
if(HALOCLINE_SANITIZE MATCHES address)
  list(APPEND HALOCLINE_MPI_TEST_ENVIRONMENT ASAN_OPTIONS=fast_unwind_on_malloc=0)
endif()

# halocline_add_mpi_run(name RANKS 4 COMMAND prog args TIMEOUT 120 LABELS ..): one launch of a program under mpiexec. It is skipped if all
# ranks end with 77, or by SKIPPABLE, conditions of tests/support/skippable.sh.
function(halocline_add_mpi_run name)
  cmake_parse_arguments(arg "" "RANKS;TIMEOUT" "COMMAND;LABELS;ENVIRONMENT;SKIPPABLE" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(HALOCLINE_SANITIZE)
    math(EXPR arg_TIMEOUT "2 * ${arg_TIMEOUT}")
  endif()
  set(environment ${HALOCLINE_MPI_TEST_ENVIRONMENT} HALOCLINE_BACKEND=${HALOCLINE_TEST_BACKEND})
  list(POP_FRONT arg_COMMAND program)
  set(driver "")
  if(arg_SKIPPABLE)
    set(driver ${HALOCLINE_SKIPPABLE} ${arg_SKIPPABLE} --)
  endif()
  add_test(NAME ${name} COMMAND ${driver} ${MPIEXEC_EXECUTABLE} ${HALOCLINE_MPIEXEC_FLAGS} ${MPIEXEC_NUMPROC_FLAG} ${arg_RANKS}
           $<TARGET_FILE:${program}> ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "mpi;${arg_LABELS}" PROCESSORS ${arg_RANKS} SKIP_RETURN_CODE 77
                       ENVIRONMENT "${environment};${arg_ENVIRONMENT}")
endfunction()

# halocline_add_mpi_test(mpi_comm SOURCES a.cpp b.cpp RANKS 1 2 4 LINK halocline::comm)
# One program of cases that all ranks run together, launched once for each number of ranks as <name>_n<ranks>; a failure
# on any rank is a failure of the test. Without MPI the test is not added.
function(halocline_add_mpi_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;RANKS;LINK;LABELS" ${ARGN})
  if(NOT HALOCLINE_HAVE_MPI)
    return()
  endif()
  if(NOT arg_RANKS)
    message(FATAL_ERROR "halocline_add_mpi_test(${name}): RANKS is empty")
  endif()
  halocline_add_cases(${name} SOURCES ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp
                      LINK ${arg_LINK} halocline_stage_mpi)
  foreach(ranks IN LISTS arg_RANKS)
    if(HALOCLINE_TEST_MOST_RANKS AND ranks GREATER HALOCLINE_TEST_MOST_RANKS)
      continue()
    endif()
    # A sanitizer sees nothing in one or three ranks that it does not see in two or four.
    if(HALOCLINE_SANITIZE AND ranks MATCHES "^[13]$" AND arg_RANKS MATCHES "[24]")
      continue()
    endif()
    halocline_add_mpi_run(${name}_n${ranks} RANKS ${ranks} COMMAND ${name} TIMEOUT ${arg_TIMEOUT}
                          LABELS ${arg_LABELS})
  endforeach()
endfunction()
