# SPDX-License-Identifier: BSD-3-Clause
# exchange --trace on 2 ranks x 2 devices, for each transport; paths that cannot be written.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/map_machine.cmake)
fresh_folder(trace)
set(exchange exchange --backend host --devices-per-rank 2 --size 16 --repeat 1 --warm-up 0 --steady 0)

function(expect_trace transport)
  execute_process(COMMAND ${MPIRUN} -n 2 ${PROGRAM} ${exchange} --trace ${folder}/${transport}.json ${ARGN}
                  RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 120)
  execute_process(COMMAND ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/check_trace.py ${folder}/${transport}.json ${transport}
                  RESULT_VARIABLE checked OUTPUT_VARIABLE verdict ERROR_VARIABLE verdict)
  set(ok FALSE)
  if(code EQUAL 0 AND checked EQUAL 0 AND out MATCHES "\ntrace: [^\n]*${transport}.json \\(3 exchanges\\)\n$")
    set(ok TRUE)
  endif()
  count(ok "a trace by ${transport}" "exit code ${code}\n${out}${err}${verdict}")
  set(tried ${tried} PARENT_SCOPE)
  set(right ${right} PARENT_SCOPE)
endfunction()

# Cells of the second field are sent as f32, and so packed and unpacked; those of the first are stored in place.
expect_trace(direct --fields 1xf64,1xf64:f32 --radius 2)
expect_trace(mpi_staged --transports mpi_staged --messages by-direction)
expect_trace(mpi_staged --transports mpi_staged --messages by-rank)
expect_trace(mpi_staged --transports mpi_staged --messages by-node)
expect_trace(mpi_device --transports mpi_device)
expect_trace(any --transports self,peer_copy,ipc_copy)

file(GLOB left ${folder}/.halocline-*)
set(ok FALSE)
if(left STREQUAL "")
  set(ok TRUE)
endif()
count(ok "no temporary file is left" "${left}")

# One error, on all ranks, before anything is exchanged.
set(LAUNCH ${MPIRUN} -n 2)
run_program(code out err ${exchange} --trace /nowhere/t.json)
own_error_lines("${err}" lines)
list(LENGTH lines number)
set(ok FALSE)
if(code EQUAL 2 AND number EQUAL 1 AND lines MATCHES "--trace is '/nowhere/t.json'" AND out STREQUAL "")
  set(ok TRUE)
endif()
count(ok "an unwritable path" "exit code ${code}\n${out}${err}")
set(LAUNCH "")
expect_refusal("--trace" exchange --trace t.json --accumulate)
expect_refusal("--launch-threads" exchange --trace t.json --launch-threads)
report_count()
