# SPDX-License-Identifier: BSD-3-Clause
# Ranks with different arguments, or of which one fails: every error is printed once, and the job ends soon with a
# failure.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)
set(base exchange --backend host --size 16 --repeat 50 --steady 0 --timeout 6)
file(MAKE_DIRECTORY ${WORK}/mismatched/empty)
file(COPY ${SOURCE}/machines/dgx-h200.json DESTINATION ${WORK}/mismatched)

# expect_end(<what> <exit code> <fragments, one for each error line> <words of rank 0> -- <words of ranks 1 and 2>)
function(expect_end what wanted fragments)
  string(REPLACE ";--;" ";:;-n;2;" words "${ARGN}")
  execute_process(COMMAND ${MPIRUN} -n 1 ${words} WORKING_DIRECTORY ${WORK}/mismatched RESULT_VARIABLE code
                  OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 60)
  own_error_lines("${err}" lines)
  list(LENGTH lines number)
  list(LENGTH fragments wanted_number)
  set(ok FALSE)
  if(code EQUAL wanted AND number EQUAL wanted_number AND NOT "${err}" MATCHES "MPI_ERRORS_ARE_FATAL|MPI_ERR_")
    set(ok TRUE)
  endif()
  foreach(fragment IN LISTS fragments)
    string(FIND "${lines}" "${fragment}" at)
    if(at LESS 0)
      set(ok FALSE)
    endif()
  endforeach()
  count(ok "${what}" "wanted: ${wanted}, ${fragments}\nexit code ${code}, ${number} lines\n${out}${err}")
  set(tried ${tried} PARENT_SCOPE)
  set(right ${right} PARENT_SCOPE)
endfunction()

# Other arguments, other environment.
foreach(more "--verify" "--repeat 40" "--ranks-per-node 1" "--help" "--machine summit")
  separate_arguments(words UNIX_COMMAND "${more}")
  if(more STREQUAL "--repeat 40")
    set(other exchange --backend host --size 16 --repeat 40 --steady 0 --timeout 6)
    set(shown "--repeat 40 --steady 0 --timeout 6' on ranks 1, 2")
  else()
    set(other ${base} ${words})
    set(shown "--timeout 6 ${more}' on ranks 1, 2 and 'exchange --backend host")
  endif()
  expect_end("ranks 1 and 2 with ${more}" 2 "${shown}" ${PROGRAM} ${base} -- ${PROGRAM} ${other})
endforeach()
expect_end("rank 0 with --help" 2 "on ranks 1, 2 and '--help' on rank 0" ${PROGRAM} --help -- ${PROGRAM} ${base})
foreach(setting "HALOCLINE_TRANSPORTS=pigeon" "HALOCLINE_RANKS_PER_NODE=1")
  string(REPLACE "=" " is '" shown "${setting}")
  expect_end("ranks 1 and 2 with ${setting}" 2 "${shown}' on ranks 1, 2 and '' on rank 0, allowed is the same"
             ${PROGRAM} ${base} -- env ${setting} ${PROGRAM} ${base})
endforeach()

# An error of one rank that the others cannot detect: they wait for it. A map that exists only on rank 0's node.
set(with_map ${base} --machine dgx-h200.json)
expect_end("a file that is not on the others' nodes" 2 "rank 1: machine file 'dgx-h200.json' cannot be read;rank 2: machine file 'dgx-h200.json' cannot be read"
           ${PROGRAM} ${with_map} -- --wdir ${WORK}/mismatched/empty ${PROGRAM} ${with_map})

# A rank of another program that never calls MPI_Init and goes on, so that mpirun does not end the job: it ends at the timeout
# of the command line, which counts before the arguments are parsed.
string(TIMESTAMP begin "%s" UTC)
execute_process(COMMAND ${MPIRUN} -n 1 sleep 50 : -n 1 ${PROGRAM} exchange --backend host --size 16 --timeout 3
                RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 40)
string(TIMESTAMP end "%s" UTC)
math(EXPR passed "${end} - ${begin}")
set(ok FALSE)
if(NOT code EQUAL 0 AND err MATCHES "halocline: error: MPI_Init[a-z_]* has not returned after its timeout of 3 s" AND passed LESS 30)
  set(ok TRUE)
endif()
count(ok "a rank that is another program" "exit code ${code} after ${passed} s\n${out}${err}")
report_count()
