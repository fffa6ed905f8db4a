# SPDX-License-Identifier: BSD-3-Clause
# The options of users. Every optional part is ON, OFF, or AUTO (used if found).
include(GNUInstallDirs)

option(BUILD_SHARED_LIBS "Make and install one shared library instead of an archive a stage" OFF)
option(HALOCLINE_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(HALOCLINE_BUILD_APPS "Build the applications and the command-line tool" ${PROJECT_IS_TOP_LEVEL})
option(HALOCLINE_BUILD_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(HALOCLINE_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
option(HALOCLINE_PRECOMPILE "Compile common headers once for all files, and several files at a time" ON)
set(HALOCLINE_MPI AUTO CACHE STRING "Ranks as MPI processes: ON, OFF, AUTO, or PLUGGED (the Python package loads the plug-in for the MPI of the process)")
if(NOT HALOCLINE_MPI MATCHES "^(ON|OFF|AUTO|PLUGGED)$")
  message(FATAL_ERROR "HALOCLINE_MPI is ${HALOCLINE_MPI}; allowed are ON, OFF, AUTO and PLUGGED")
endif()
set(HALOCLINE_MPI_PLUGINS "" CACHE STRING "With HALOCLINE_MPI=PLUGGED, folders of mpi.h: openmpi=<folder>;mpich=<folder>")
set(HALOCLINE_HWLOC AUTO CACHE STRING "Discovery by hwloc: ON, OFF or AUTO")
set(HALOCLINE_SCOTCH AUTO CACHE STRING "Mapping by the Scotch library: ON, OFF or AUTO")
set(HALOCLINE_UCX AUTO CACHE STRING "Messages of net by UCX, which is found at run time: ON, OFF or AUTO")
set(HALOCLINE_NCCL AUTO CACHE STRING "Messages by nccl, which is found at run time: ON, OFF or AUTO")
set(HALOCLINE_XXHASH AUTO CACHE STRING "Checkpoints, whose digests xxHash computes: ON, OFF or AUTO")
set(HALOCLINE_SIMGRID AUTO CACHE STRING "A test that compares simulations with SimGrid: ON, OFF or AUTO")
set(HALOCLINE_PNG AUTO CACHE STRING "Pictures as PNG: ON, OFF or AUTO")
set(HALOCLINE_SANITIZE "" CACHE STRING "Sanitizers: empty, 'address,undefined,float-cast-overflow' or 'thread'")
set(HALOCLINE_PYTHON AUTO CACHE STRING "The Python package: ON, OFF or AUTO")
set(HALOCLINE_JAX AUTO CACHE STRING "Exchanges of the Python package in JAX: ON, OFF or AUTO")
set(HALOCLINE_FORTRAN AUTO CACHE STRING "The Fortran module: ON, OFF or AUTO")
set(HALOCLINE_CUDA AUTO CACHE STRING "The CUDA backend: ON, OFF or AUTO")
if(NOT HALOCLINE_CUDA MATCHES "^(ON|OFF|AUTO)$")
  message(FATAL_ERROR "HALOCLINE_CUDA is ${HALOCLINE_CUDA}; allowed are ON, OFF and AUTO")
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo, Debug" FORCE)
endif()
# C++20 is a feature of halocline_core and halocline_build_flags. The standard that a surrounding project chose is for
# its own files, and CMake would pass it to nvcc too, whose C++20 support CMake does not know up to 3.25.
unset(CMAKE_CXX_STANDARD)
unset(CMAKE_CUDA_STANDARD)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

# Recompiling unchanged files is the slowest part of work on two cores.
find_program(HALOCLINE_CCACHE ccache)
if(HALOCLINE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without these settings ccache does not cache files that include a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${HALOCLINE_CCACHE})
endif()
if(HALOCLINE_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${HALOCLINE_CCACHE}")
endif()

# The stubs that nvcc generates violate the stricter warnings of C++ files.
add_library(halocline_build_flags INTERFACE)
target_compile_features(halocline_build_flags INTERFACE cxx_std_20)
target_compile_options(halocline_build_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wsign-conversion;-Wnon-virtual-dtor>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra;--expt-relaxed-constexpr>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of overlaps in std::string's code, and with checked copies of bounds, without cause (GCC bug 105651).
  target_compile_options(halocline_build_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow>"
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wno-restrict>)
endif()
if(HALOCLINE_WARNINGS_AS_ERRORS)
  target_compile_options(halocline_build_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror> "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>")
endif()
if(NOT HALOCLINE_SANITIZE)
  # Hardening: a program whose memory is being overwritten ends. Distributions' compilers may have set _FORTIFY_SOURCE
  # already; it needs an optimiser. Only programs resolve all symbols at start: a preloaded library may never need some
  # of them.
  target_compile_options(halocline_build_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong>"
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  target_link_options(halocline_build_flags INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:LINKER:-z,relro,-z,now>)
endif()
if(HALOCLINE_SANITIZE)
  # Without -fno-sanitize-recover a program with undefined behaviour would still exit with code 0.
  add_compile_options(-fsanitize=${HALOCLINE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${HALOCLINE_SANITIZE})
  if(HALOCLINE_SANITIZE MATCHES undefined)
    # Checks of each access to an object that take a quarter of the compile time; AddressSanitizer stops at null pointers too.
    add_compile_options(-fno-sanitize=null,vptr,object-size)
  endif()
endif()
