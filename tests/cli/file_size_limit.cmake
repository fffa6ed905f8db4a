# SPDX-License-Identifier: BSD-3-Clause
# A limit of file sizes, which also applies to shared memory: one line that names it, not a signal.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)

# expect_limit(<fragment> <ulimit's words> <words>)
function(expect_limit fragment limit words)
  separate_arguments(list UNIX_COMMAND "${words}")
  execute_process(COMMAND bash -c "ulimit ${limit} && exec \"$@\"" bash ${PROGRAM} ${list}
                  RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 60)
  own_error_lines("${err}" lines)
  list(LENGTH lines number)
  if(code EQUAL 1 AND number EQUAL 1 AND lines MATCHES "${fragment}")
    set(ok TRUE)
  else()
    set(ok FALSE)
  endif()
  count(ok "ulimit ${limit}, ${words}" "exit code ${code}\n${out}${err}")
  set(tried ${tried} PARENT_SCOPE)
  set(right ${right} PARENT_SCOPE)
endfunction()

foreach(words "exchange --backend host --devices 2 --size 32 --repeat 3 --steady 0" "run jacobi3d --backend host --size 32 --steps 2"
              "run mhd --backend host --size 16 --steps 1 --dt 1e-7" "run laplace3d --backend host --size 32 --steps 1 --rounds 1")
  expect_limit("RLIMIT_FSIZE, ulimit -f. is 65536 bytes.* allowed is" "-f 64" "${words}")
endforeach()

# For one rank only; large enough for the files of MPI itself.
if(MPIEXEC)
  set(words exchange --backend host --size 128 --fields 4xf64 --repeat 3 --steady 0 --timeout 6)
  execute_process(COMMAND ${MPIRUN} -n 1 ${PROGRAM} ${words} : -n 1
                          bash -c "ulimit -f 16384 && exec \"$@\"" bash ${PROGRAM} ${words}
                  RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 60)
  own_error_lines("${err}" lines)
  if(code EQUAL 1 AND lines MATCHES "rank 1: .*RLIMIT_FSIZE, ulimit -f. is 16777216 bytes")
    set(ok TRUE)
  else()
    set(ok FALSE)
  endif()
  count(ok "a limit of rank 1's" "exit code ${code}\n${out}${err}")
endif()
report_count()
