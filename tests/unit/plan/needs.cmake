# SPDX-License-Identifier: BSD-3-Clause
# cmake -DPROGRAM=... -DREADELF=... -DNM=... -P: a planning program links neither MPI nor CUDA, nor the stages that run
# exchanges.
cmake_minimum_required(VERSION 3.22)

include(${CMAKE_CURRENT_LIST_DIR}/../../support/look.cmake)

look(${READELF} -d ${PROGRAM})
string(REGEX MATCHALL "\\(NEEDED\\)[^\n]*" needed "${output}")
set(others "${needed}")
list(FILTER others INCLUDE REGEX "mpi|cuda|nvidia|hwloc")
if(NOT needed OR others)
  message(FATAL_ERROR "${PROGRAM} needs '${others}' of '${needed}'")
endif()

look(${NM} -C ${PROGRAM})
if(NOT output MATCHES "halocline::make_local_plan")
  message(FATAL_ERROR "${PROGRAM} does not plan")
endif()
# A value shared by routing and predictions (src/LAYERS), whatever its namespace.
string(REPLACE "halocline::exchange::Tuning" "Tuning" output "${output}")
# Without the beginning of the line, which would be tried from each character of it.
string(REGEX MATCHALL "( MPI_|hwloc_| cu[A-Z]| cuda[A-Z]|halocline::(comm|device|discovery|exchange)::)[^\n]*" others "${output}")
if(others)
  message(FATAL_ERROR "${PROGRAM} holds ${others}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "cases passed: 2")
