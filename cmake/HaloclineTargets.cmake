# SPDX-License-Identifier: BSD-3-Clause
# halocline_precompile(owner HEADERS <vector> <string>): precompiles the headers once, for this target and for others.
# halocline_precompile(target FROM owner): uses the headers of the owner. Flags that change code must equal the owner's.
# A missing include of a precompiled header is not an error here: the preset host and clang-tidy compile without them.
function(halocline_precompile target)
  cmake_parse_arguments(arg "" "FROM" "HEADERS" ${ARGN})
  if(HALOCLINE_PRECOMPILE AND arg_FROM)
    target_precompile_headers(${target} REUSE_FROM ${arg_FROM})
  elseif(HALOCLINE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
  endif()
endfunction()

# halocline_compile_together(target): compiles several C++ files of the target at a time, unless HALOCLINE_PRECOMPILE is
# off. Names in their unnamed namespaces must differ.
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
# APART: each file is compiled by itself, as names recur in their unnamed namespaces, or a program links some of them only.
# A stage is one static library, halocline_<stage>, with access to the stages on which it depends and no others.
# IN_TREE: it has no installed header, nor has any stage that depends on it, so that it is not installed.
function(halocline_add_stage stage)
  cmake_parse_arguments(arg "IN_TREE;APART" "" "SOURCES;DEPENDS;PUBLIC;PRIVATE" ${ARGN})
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
  # All stages use the precompiled headers of the first.
  if(stage STREQUAL core)
    halocline_precompile(${target} HEADERS ${HALOCLINE_COMMON_HEADERS} <fmt/core.h>)
  else()
    halocline_precompile(${target} FROM halocline_core)
  endif()
  if(arg_APART)
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  else()
    halocline_compile_together(${target})
    # It is about headers that use unnamed namespaces, which files that are compiled together look like.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
  # A shared library exports the names of the installed headers only; these headers mark them.
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
