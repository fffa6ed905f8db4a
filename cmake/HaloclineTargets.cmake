# SPDX-License-Identifier: BSD-3-Clause
# halocline_precompile(owner HEADERS <vector> <string>): compiles the headers once, for the files of this target and of others.
# halocline_precompile(target FROM owner): takes what the owner compiled. Flags that change code must be the owner's.
# A missing include is not seen where it is precompiled: the preset host compiles without, and clang-tidy looks without.
function(halocline_precompile target)
  cmake_parse_arguments(arg "" "FROM" "HEADERS" ${ARGN})
  if(HALOCLINE_PRECOMPILE AND arg_FROM)
    target_precompile_headers(${target} REUSE_FROM ${arg_FROM})
  elseif(HALOCLINE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
  endif()
endfunction()

# halocline_compile_together(target): several C++ files of the target at a time; not where each is to be seen by itself.
# Names in their unnamed namespaces differ, then.
function(halocline_compile_together target)
  if(HALOCLINE_PRECOMPILE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
    get_target_property(kernels ${target} SOURCES)
    list(FILTER kernels INCLUDE REGEX "\\.cu$")
    set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# Headers of the standard library that most files include.
set(HALOCLINE_COMMON_HEADERS
    <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <cstring> <functional> <limits> <map> <memory> <mutex> <numeric>
    <optional> <set> <span> <string> <string_view> <thread> <utility> <vector>)

# halocline_add_stage(core SOURCES a.cpp b.cpp DEPENDS core PUBLIC fmt::fmt PRIVATE MPI::MPI_CXX)
# A stage is one static library, halocline_<stage>, that sees the stages it depends on and no others. IN_TREE: it has no
# installed header, and neither has what depends on it, so that it is not installed.
function(halocline_add_stage stage)
  cmake_parse_arguments(arg "IN_TREE" "" "SOURCES;DEPENDS;PUBLIC;PRIVATE" ${ARGN})
  set(target halocline_${stage})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(halocline::${stage} ALIAS ${target})
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:halocline_build_flags>)
  foreach(dependency IN LISTS arg_DEPENDS)
    target_link_libraries(${target} PUBLIC halocline_${dependency})
  endforeach()
  target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  # All stages take those of the first.
  if(stage STREQUAL core)
    halocline_precompile(${target} HEADERS ${HALOCLINE_COMMON_HEADERS} <fmt/core.h>)
  else()
    halocline_precompile(${target} FROM halocline_core)
  endif()
  # Seen from outside the shared library are the installed headers' names alone; these headers say so themselves.
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${stage} CXX_VISIBILITY_PRESET hidden
                        CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(NOT arg_IN_TREE)
    set_property(GLOBAL APPEND PROPERTY HALOCLINE_STAGES ${target})
  endif()
endfunction()

# halocline_add_program(name SOURCES ... LINK ...)
function(halocline_add_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE halocline_build_flags ${arg_LINK})
endfunction()
