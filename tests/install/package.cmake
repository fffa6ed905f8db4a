# SPDX-License-Identifier: BSD-3-Clause
# Installs this build into a fresh folder, moves that folder, and builds the consumer with find_package(halocline).
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)

install_and_move()

# The installation must not depend on its build folder.
file(GLOB_RECURSE texts ${WORK}/prefix/*.cmake ${WORK}/prefix/*.hpp)
list(LENGTH texts count)
if(count LESS 20)
  message(FATAL_ERROR "only ${count} headers and CMake files were installed")
endif()
foreach(text IN LISTS texts)
  file(READ ${text} content)
  foreach(folder IN ITEMS ${SOURCE}/ ${BUILD}/ ${WORK}/first)
    string(FIND "${content}" "${folder}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${text} names ${folder}")
    endif()
  endforeach()
endforeach()
if(NOT MPI AND EXISTS ${WORK}/prefix/include/halocline/mpi.hpp)
  message(FATAL_ERROR "comm/mpi.hpp was installed without MPI")
endif()

configure_with_package(${CMAKE_COMMAND})
build_and_run()
# The tool, if it was built, runs from the installation.
if(EXISTS ${BUILD}/bin/halocline)
  run("running the installed tool" ${WORK}/prefix/bin/halocline --version)
  run("finding machine maps from there" ${WORK}/prefix/bin/halocline partition --machine summit --nodes 2 --size 64)
  if(MPI)
    run("finding the profiling library from there" ${WORK}/prefix/bin/halocline profile --output ${WORK}/profile.csv --
        ${SOURCE}/scripts/mpirun.sh -n 1 ${WORK}/prefix/bin/halocline exchange --backend host --size 16 --repeat 1)
  endif()
endif()
