# Installs this build into a fresh folder, moves that folder, and builds the consumer with find_package(halocline).
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)

file(REMOVE_RECURSE ${WORK})
run("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/prefix)

# What is installed must not know where it was built.
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
if(NOT MPI AND EXISTS ${WORK}/prefix/include/halocline/comm/mpi.hpp)
  message(FATAL_ERROR "comm/mpi.hpp was installed without MPI")
endif()

run("configuring the consumer" ${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
if(NOT output MATCHES "halocline's headers: ${WORK}/prefix/include")
  message(FATAL_ERROR "another halocline than the installed one was found:\n${output}")
endif()
build_and_run()
# The tool, where it was built, runs from where it was installed.
if(EXISTS ${BUILD}/bin/halocline)
  run("running the installed tool" ${WORK}/prefix/bin/halocline --version)
endif()
