# Builds the consumer with Halocline as a subproject (add_subdirectory, which is what FetchContent does).
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)

# The build folder stays: what did not change is not compiled again.
file(REMOVE ${WORK}/build/CMakeCache.txt)
run("configuring the consumer" ${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DHALOCLINE_SOURCE=${SOURCE}
    -DHALOCLINE_MPI=${MPI} -DHALOCLINE_HWLOC=${HWLOC} -DHALOCLINE_CUDA=${CUDA}
    -DCMAKE_CUDA_COMPILER_LAUNCHER=${LAUNCHER} "-DCMAKE_CUDA_ARCHITECTURES=${ARCHITECTURES}")
foreach(package IN ITEMS GTest CLI11)
  if(output MATCHES "${package}")
    message(FATAL_ERROR "as a subproject, halocline looks for ${package}:\n${output}")
  endif()
endforeach()
build_and_run()
