# SPDX-License-Identifier: BSD-3-Clause
# A program that makes calls of all kinds writes the expected counts; numbers of ranks that are and are not powers of
# two.
include(${CMAKE_CURRENT_LIST_DIR}/../cli/expect.cmake)

foreach(ranks 2 3 4 5 8)
  file(REMOVE ${WORK}/counted.csv ${WORK}/expected.csv)
  execute_process(COMMAND ${MPIRUN} -n ${ranks} ${PROGRAM} profile --output counted.csv -- ${CALLS} expected.csv
                  WORKING_DIRECTORY ${WORK} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 120)
  execute_process(COMMAND diff ${WORK}/expected.csv ${WORK}/counted.csv RESULT_VARIABLE differs OUTPUT_VARIABLE lines
                  ERROR_VARIABLE lines)
  if(code EQUAL 0 AND differs EQUAL 0 AND out STREQUAL "profiled\n")
    set(ok TRUE)
  else()
    set(ok FALSE)
  endif()
  count(ok "calls of ${ranks} ranks" "exit code ${code}\n${out}${err}expected < > counted:\n${lines}")
endforeach()
report_count()
