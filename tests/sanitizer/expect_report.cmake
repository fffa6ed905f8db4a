# SPDX-License-Identifier: BSD-3-Clause
# cmake -DPROGRAM=... -DREPORT=... -P: the program must fail, and its output must contain the report.
cmake_minimum_required(VERSION 3.22)
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "the planted fault was not noticed: the program ended well\n${output}")
endif()
string(FIND "${output}" "${REPORT}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "the program failed (${status}), but without \"${REPORT}\":\n${output}")
endif()
message(STATUS "seen: ${REPORT}")
