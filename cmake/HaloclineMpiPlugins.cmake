# SPDX-License-Identifier: BSD-3-Clause
# Plug-ins of the Python package: comm's part for MPI, compiled for each binary interface of MPI and linked once for each name that
# a library of that interface has. The module loads the one whose library the process has loaded (python/halocline/_mpi.py).

# Each as <name>|<interface>|<name of the library (SONAME)>. Open MPI 4 and 5 have one interface; MPICH since 3.1 and the MPIs that are
# compatible with it have another, in libmpi.so.12, which Debian calls libmpich.so.12.
set(HALOCLINE_KNOWN_MPI_PLUGINS "openmpi|openmpi|libmpi.so.40" "mpich_debian|mpich|libmpich.so.12" "mpich|mpich|libmpi.so.12")
set(halocline_mpi_mark_openmpi "#define OMPI_MAJOR_VERSION")
set(halocline_mpi_mark_mpich "#define MPICH_VERSION")

# halocline_find_mpi_plugins(): reads HALOCLINE_MPI_PLUGINS. Sets HALOCLINE_MPI_INTERFACES, HALOCLINE_MPI_INCLUDE_<interface> and
# HALOCLINE_PLUGGED_MPIS, which has the known plug-ins of these interfaces.
function(halocline_find_mpi_plugins)
  set(allowed "allowed is openmpi=<folder of its mpi.h> or mpich=<folder of its mpi.h>, or both as a list")
  set(interfaces "")
  foreach(plugin IN LISTS HALOCLINE_MPI_PLUGINS)
    if(NOT plugin MATCHES "^(openmpi|mpich)=(.+)$")
      message(FATAL_ERROR "HALOCLINE_MPI_PLUGINS has '${plugin}'; ${allowed}")
    endif()
    set(interface ${CMAKE_MATCH_1})
    get_filename_component(include "${CMAKE_MATCH_2}" ABSOLUTE)
    if(interface IN_LIST interfaces)
      message(FATAL_ERROR "HALOCLINE_MPI_PLUGINS names ${interface} twice; ${allowed}")
    endif()
    set(mark "")
    if(EXISTS ${include}/mpi.h)
      file(STRINGS ${include}/mpi.h mark REGEX "^${halocline_mpi_mark_${interface}} " LIMIT_COUNT 1)
    endif()
    if(NOT mark)
      message(FATAL_ERROR "HALOCLINE_MPI_PLUGINS has '${plugin}', where there is no mpi.h of ${interface}; ${allowed}")
    endif()
    list(APPEND interfaces ${interface})
    set(HALOCLINE_MPI_INCLUDE_${interface} ${include} PARENT_SCOPE)
  endforeach()
  if(NOT interfaces)
    message(FATAL_ERROR "HALOCLINE_MPI is PLUGGED, and HALOCLINE_MPI_PLUGINS is empty; ${allowed}")
  endif()
  set(plugins "")
  set(names "")
  foreach(plugin IN LISTS HALOCLINE_KNOWN_MPI_PLUGINS)
    string(REPLACE "|" ";" parts ${plugin})
    list(GET parts 0 name)
    list(GET parts 1 interface)
    if(interface IN_LIST interfaces)
      list(APPEND plugins ${plugin})
      string(APPEND names " ${name}")
    endif()
  endforeach()
  set(HALOCLINE_MPI_INTERFACES ${interfaces} PARENT_SCOPE)
  set(HALOCLINE_PLUGGED_MPIS ${plugins} PARENT_SCOPE)
  halocline_note("MPI (Python)" yes "plug-ins${names}")
endfunction()

# halocline_add_mpi_interface(interface SOURCES ...): an object library, compiled with the headers of that MPI.
function(halocline_add_mpi_interface interface)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  set(target halocline_comm_${interface})
  add_library(${target} OBJECT ${arg_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(${target} SYSTEM PRIVATE ${HALOCLINE_MPI_INCLUDE_${interface}})
  target_compile_definitions(${target} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_compile_options(${target} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  target_link_libraries(${target} PRIVATE halocline_comm fmt::fmt halocline_build_flags)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  halocline_precompile(${target} FROM halocline_core)
endfunction()

# halocline_add_mpi_plugin("openmpi|openmpi|libmpi.so.40" FOLDER <folder> SOURCES ...): _mpi_<name>.so, target halocline_mpi_<name>.
# It has a copy of what it needs of comm and core, so that nothing but the module's call connects the two. An empty library stands for
# the MPI when it is linked: a plug-in needs the name only, and the loader finds the library of that name that the process has.
function(halocline_add_mpi_plugin plugin)
  cmake_parse_arguments(arg "" "FOLDER" "SOURCES" ${ARGN})
  string(REPLACE "|" ";" parts ${plugin})
  list(GET parts 0 name)
  list(GET parts 1 interface)
  list(GET parts 2 soname)
  set(target halocline_mpi_${name})
  set(empty ${CMAKE_CURRENT_BINARY_DIR}/mpi_names/${name})
  file(WRITE ${empty}/empty.cpp "")
  string(REGEX MATCH "^lib(.+)(\\.so\\.[0-9]+)$" matched ${soname})
  add_library(${target}_name SHARED ${empty}/empty.cpp)
  set_target_properties(${target}_name PROPERTIES OUTPUT_NAME ${CMAKE_MATCH_1} SUFFIX ${CMAKE_MATCH_2} LIBRARY_OUTPUT_DIRECTORY ${empty})

  add_library(${target} MODULE ${arg_SOURCES} $<TARGET_OBJECTS:halocline_comm_${interface}>)
  target_include_directories(${target} SYSTEM PRIVATE ${HALOCLINE_MPI_INCLUDE_${interface}})
  target_compile_definitions(${target} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_libraries(${target} PRIVATE halocline_build_flags halocline_comm
                        -Wl,--push-state,--no-as-needed ${target}_name -Wl,--pop-state)
  # Nothing outside binds to its copy, nor it to another's.
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME _mpi_${name} LIBRARY_OUTPUT_DIRECTORY ${arg_FOLDER}
                        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON SKIP_BUILD_RPATH ON)
endfunction()
