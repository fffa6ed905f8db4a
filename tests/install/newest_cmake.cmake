# SPDX-License-Identifier: BSD-3-Clause
# Builds the consumer of the installed package with the newest CMake of PyPI, whose CUDA rules differ from older ones.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)

set(newest ${WORK}/python/bin/cmake)
if(NOT EXISTS ${newest})
  foreach(step IN ITEMS "python3 -m venv ${WORK}/python" "${WORK}/python/bin/pip install --quiet --timeout 20 cmake")
    separate_arguments(command UNIX_COMMAND "${step}")
    execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
      message("install_newest_cmake: skipped: '${step}' fails:\n${output}")
      return()
    endif()
  endforeach()
endif()
run("asking for the version" ${newest} --version)
message(STATUS "${output}")

install_and_move()
configure_with_package(${newest})
build_and_run()
