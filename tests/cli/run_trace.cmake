# SPDX-License-Identifier: BSD-3-Clause
# run APP --trace on 2 ranks x 2 devices: kernels beside the exchange, for each application and order of its updates; the picture;
# and what cannot be traced.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/map_machine.cmake)
fresh_folder(run_trace)
set(devices --backend host --devices-per-rank 2)

# expect_trace(<name> <way of check_trace.py> <exchanges> <steps> <words of run>)
function(expect_trace name way exchanges steps)
  execute_process(COMMAND ${MPIRUN} -n 2 ${PROGRAM} run ${ARGN} ${devices} --trace ${folder}/${name}.json
                  RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 120)
  execute_process(COMMAND ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/check_trace.py ${folder}/${name}.json any ${exchanges} ${way}
                  RESULT_VARIABLE checked OUTPUT_VARIABLE verdict ERROR_VARIABLE verdict)
  string(REGEX REPLACE "[ \n]+" " " words "${out}")  # long lines are folded
  set(ok FALSE)
  if(code EQUAL 0 AND checked EQUAL 0 AND words MATCHES " trace [^ ]*${name}.json \\(the last ${steps} steps\\) ?")
    set(ok TRUE)
  endif()
  count(ok "a trace of ${ARGN}" "exit code ${code}\n${out}${err}${verdict}")
  set(tried ${tried} PARENT_SCOPE)
  set(right ${right} PARENT_SCOPE)
endfunction()

# The traced steps are steps of the run: the result is that of a run without a trace, bit for bit.
expect_trace(jacobi overlap 3 3 jacobi3d --size 32 --steps 20 --overlap --check)
expect_trace(first first 3 3 jacobi3d --size 32 --steps 3 --no-overlap --transports mpi_staged --check)
expect_trace(awaited first 3 3 jacobi3d --size 32 --steps 9 --await-halos --check)
expect_trace(laplace overlap 3 3 laplace3d --size 32 --steps 10 --rounds 1 --order sides-last --check)
expect_trace(beside overlap 3 3 laplace3d --size 32 --steps 10 --rounds 1 --order sides-beside)
expect_trace(mhd overlap 9 3 mhd --size 16 --steps 5 --warm-up 1 --dt 1e-5 --overlap --boundary after-all --check)
expect_trace(wide several 3 3 mhd --size 36 --order 4 --steps 4 --dt 1e-5 --overlap --boundary after-all --substeps-per-exchange 3 --check)
expect_trace(ready as-ready 9 3 mhd --size 16 --steps 3 --dt 1e-5 --overlap --check)

run_program(code out err plot ${folder}/jacobi.json -o ${folder}/jacobi.svg)
file(READ ${folder}/jacobi.svg picture)
set(ok FALSE)
if(code EQUAL 0 AND picture MATCHES ">interior</text>" AND picture MATCHES ">boundary</text>" AND picture MATCHES "interior of subdomain 0: ")
  set(ok TRUE)
endif()
count(ok "the picture shows the kernels" "exit code ${code}\n${out}${err}")

set(nowhere --trace ${folder}/t.json)
expect_refusal("--trace" run jacobi3d --steps 5 --graph ${nowhere})
expect_refusal("--tolerance" run jacobi3d --steps 5 --tolerance 0.1 ${nowhere})
expect_refusal("--graph" run mhd --size 16 --steps 5 --dt 1e-5 --graph ${nowhere})
expect_refusal("--study" run mhd --study weak ${nowhere})
expect_refusal("other schemes" run laplace3d --size 32 --compare ${nowhere})
expect_refusal("--sizes" run laplace3d --sizes 16 32 ${nowhere})
expect_refusal("--device-counts" run laplace3d --size 32 --device-counts 1 2 ${nowhere})
expect_refusal("--trace is '/nowhere/t.json'" run mhd --size 16 --trace /nowhere/t.json)
report_count()
