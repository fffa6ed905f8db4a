# SPDX-License-Identifier: BSD-3-Clause
# Predicted steps, and the key numbers of studies of published machines. A changed number is a changed model: find out why before it is changed here.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)

# expect_row(<beginning of a line of CSV, as a regular expression> <why it is that> <words>): runs a command once for the rows that follow each other
set(last_words "")
function(expect_row row reason words)
  if(NOT words STREQUAL last_words)
    separate_arguments(list UNIX_COMMAND "${words}")
    run_program(code out err ${list})
    foreach(variable code out err)
      set(last_${variable} "${${variable}}" PARENT_SCOPE)
    endforeach()
    set(last_words "${words}" PARENT_SCOPE)
  else()
    set(code "${last_code}")
    set(out "${last_out}")
    set(err "${last_err}")
  endif()
  set(ok FALSE)
  if(code EQUAL 0 AND out MATCHES "\n${row}")
    set(ok TRUE)
  endif()
  count(ok "halocline ${words}" "${row}: ${reason}\nexit code ${code}\n${out}${err}")
  set(tried ${tried} PARENT_SCOPE)
  set(right ${right} PARENT_SCOPE)
endfunction()

# Pekkilä et al., figure 11, with the constants that they give: 64 GPUs reach 36, 73 and 100 % of ideal scaling. These follow from section 5: measured 18, 43
# and 87 % of ideal are 50, 59 and 87 % of the model.
set(puhti "predict --machine ${SOURCE}/machines/puhti.json --nodes 16 --kernel mhd --device-mpi")
set(paper "${puhti} --level node --pi 2.2 --beta 3.9 --latency 0")
separate_arguments(list UNIX_COMMAND "${paper} --study strong --json")
run_program(code out err ${list})
foreach(pair "6;0[.]35488" "13;0[.]73053" "20;1[.]0")
  list(GET pair 0 row)
  list(GET pair 1 value)
  string(JSON found ERROR_VARIABLE problem GET "${out}" rows ${row} closed_form efficiency)
  string(JSON devices ERROR_VARIABLE problem GET "${out}" rows ${row} devices)
  set(ok FALSE)
  if(code EQUAL 0 AND devices EQUAL 64 AND found MATCHES "^${value}")
    set(ok TRUE)
  endif()
  count(ok "figure 11, row ${row}" "efficiency ${found}, wanted ${value}\n${out}${err}")
endforeach()

expect_row("strong,mhd,256,256,256,16,64,5[.]7671[0-9]*e-04,1[.]62508" "work is 2.2 ns x 256^3 / 64; the halo of a node of 64 x 128 x 128 cells is 2 x 208,344 cells of 3.9 ns"
           "${paper} --study strong --sizes 256 --csv")
expect_row("strong,mhd,256,256,256,16,64,5[.]7671[0-9]*e-04,1[.]7157[0-9]*e-03,.*,1[.]7487" "three exchanges of 583 us, as 'simulate' has them on 16 nodes"
           "${puhti} --pi 2.2 --study strong --sizes 256 --csv")
expect_row("weak,mhd,512,512,512,2,8,.*,1[.]28[0-9]*e-02," "figure 13: between 4 and 8 devices messages begin to leave the node, 1.68 to 12.8 ms"
           "${puhti} --pi 2.2 --study weak --csv")
expect_row("weak,mhd,256,512,512,1,4,.*,1[.]6755[0-9]*e-03," "figure 13: within a node by NVLink"
           "${puhti} --pi 2.2 --study weak --csv")

expect_row("weak,jacobi3d,64,64,96,2,12," "12 is 3 x 2 x 2: in z, y and x, as in 'run mhd --study weak'"
           "predict --machine ${SOURCE}/machines/summit.json --nodes 2 --kernel jacobi3d --study weak --sizes 32 --csv")

# The roofline: 16 bytes of 208 GB/s for each of 64^3 cells on 4 devices; 1000 operations of 1.17 T/s.
set(k20 "predict --machine ${SOURCE}/machines/k20-server.json --size 64 --csv")
expect_row(",laplace3d,64,64,64,1,4,5[.]0412" "16 bytes a cell" "${k20} --kernel laplace3d")
expect_row(",custom,64,64,64,1,4,5[.]0412" "16 bytes a cell" "${k20} --bytes-per-cell 16 --fields 1xf64")
expect_row(",custom,64,64,64,1,4,5[.]6013" "1000 operations a cell" "${k20} --bytes-per-cell 16 --flops-per-cell 1000 --tflops 1.17")
expect_row(",laplace3d,64,64,64,1,4,5[.]0412[0-9]*e-06,1[.]0448[0-9]*e-05,1[.]0010[0-9]*e-02,1[.]0011[0-9]*e-02,1[.]0015[0-9]*e-02,1[.]1007[0-9]*e-05,1[.]0011" "tau_0 of 10 ms in all step times"
           "${k20} --kernel laplace3d --tau0 10000")
expect_row(",laplace3d,256,256,256,1,4,3[.]2263[0-9]*e-04,.*,2[.]3699[0-9]*e-04,3[.]2263[0-9]*e-04,3[.]2263[0-9]*e-04,5[.]5963" "K20 servers, guide 12: 1.73 x without overlap"
           "predict --machine ${SOURCE}/machines/k20-server.json --ranks-per-node 4 --kernel laplace3d --size 256 --open x,y,z --node-grid 1 1 1 --device-grid 1 1 4 --transports mpi_staged --csv")
# An exchange for several substeps: 64^3 cells a device, cut in all dimensions. Without overlap and bytes K = 2 pays from a latency of 10.3 us on, K = 3 from 16.4 us
# (docs/decisions/0068): in turn, 99.9 us of work and 3 latencies against 1.154 x 99.9 us and 1.5, or 1.328 x 99.9 us and 1.
set(eight "predict --nodes 8 --kernel mhd --size 128 --pi 0.381 --beta 0 --csv --latency")
set(row ",mhd,128,128,128,8,8,9[.]98[0-9]*e-05")
expect_row("${row},4[.]80*e-05,9[.]98[0-9]*e-05,.*,1[.]4787[0-9]*e-04,.*,0[.]0*e[+]00\n" "three exchanges, no shell" "${eight} 16")
expect_row("${row},1[.]60*e-05,1[.]3260[0-9]*e-04,1[.]3260[0-9]*e-04,1[.]4860[0-9]*e-04,.*,3[.]2726[0-9]*e-05\n" "one exchange, 1.328 times the cells: slower than three at 16 us"
           "${eight} 16 --substeps-per-exchange 3")
expect_row("${row},5[.]10*e-05,.*,1[.]5087[0-9]*e-04," "three exchanges of 17 us" "${eight} 17")
expect_row("${row},1[.]70*e-05,1[.]3260[0-9]*e-04,1[.]3260[0-9]*e-04,1[.]4960[0-9]*e-04," "and faster at 17 us" "${eight} 17 --substeps-per-exchange 3")
expect_row("${row},1[.]650*e-05,1[.]1527[0-9]*e-04,1[.]1527[0-9]*e-04,1[.]3177[0-9]*e-04,.*,1[.]5403[0-9]*e-05\n" "K = 2: three exchanges in two steps"
           "${eight} 11 --substeps-per-exchange 2")
expect_row("${row},3[.]30*e-05,.*,1[.]3287[0-9]*e-04," "and K = 1, slower at 11 us" "${eight} 11")
expect_row(",laplace3d,128,128,128,8,8,2[.]6214[0-9]*e-04,1[.]50*e-05,2[.]7482[0-9]*e-04,2[.]7482[0-9]*e-04,2[.]8982[0-9]*e-04,.*,1[.]2676[0-9]*e-05\n"
           "half an exchange of 30 us a step; 66^3 and 64^3 cells in two steps" "predict --nodes 8 --kernel laplace3d --size 128 --pi 1 --beta 0 --latency 30 --steps-per-exchange 2 --csv")

# expect_as_simulated(<exchanges of a step> <words of predict> <words of simulate>): the exchange of a step is so many of those that 'simulate' simulates
function(expect_as_simulated exchanges predict simulate)
  separate_arguments(list UNIX_COMMAND "${predict} --json")
  run_program(code out err ${list})
  string(JSON predicted ERROR_VARIABLE problem GET "${out}" rows 0 simulated exchange_s)
  separate_arguments(list UNIX_COMMAND "${simulate} --json")
  run_program(code out err ${list})
  string(JSON simulated ERROR_VARIABLE problem GET "${out}" simulated_s)
  execute_process(COMMAND awk "BEGIN {a = ${predicted} + 0; b = ${exchanges} * ${simulated}; exit !(a > 0 && (a - b) ^ 2 < 1e-18 * b ^ 2)}"
                  RESULT_VARIABLE code)
  set(ok FALSE)
  if(code EQUAL 0)
    set(ok TRUE)
  endif()
  count(ok "halocline ${predict}" "wanted: ${exchanges} x ${simulated} s\n${predicted} s\n${err}")
  set(tried ${tried} PARENT_SCOPE)
  set(right ${right} PARENT_SCOPE)
endfunction()
set(mhd "--machine ${SOURCE}/machines/puhti.json --nodes 2 --size 256 --device-mpi")
foreach(pair "1;3" "2;1.5" "3;1" "6;0.5")
  list(GET pair 0 served)
  list(GET pair 1 exchanges)
  expect_as_simulated(${exchanges} "predict ${mhd} --kernel mhd --pi 2.2 --substeps-per-exchange ${served}"
                      "simulate ${mhd} --fields 8xf64 --radius 3 --no-corners --steps-per-exchange ${served}")
endforeach()
set(staged "--machine ${SOURCE}/machines/puhti.json --nodes 2 --ranks-per-node 1 --size 256 --transports mpi_staged --messages")
foreach(messages by-neighbour by-direction by-rank)
  expect_as_simulated(1 "predict ${staged} ${messages} --kernel jacobi3d" "simulate ${staged} ${messages} --no-edges --no-corners")
endforeach()
# The closed form counts bytes that are sent.
foreach(fields 1xf32 1xf64:f32)
  run_program(code out err simulate --machine ${SOURCE}/machines/summit.json --nodes 2 --size 512 --fields ${fields} --json)
  string(JSON found ERROR_VARIABLE problem GET "${out}" closed_form seconds)
  set(ok FALSE)
  if(found MATCHES "^0[.]000253158[0-9]*$")
    set(ok TRUE)
  endif()
  count(ok "closed form of ${fields}" "${found}\n${err}")
endforeach()
expect_refusal("--steps-per-exchange cannot be used with --kernel mhd, which takes --substeps-per-exchange" predict --nodes 2 --kernel mhd --steps-per-exchange 2)
expect_refusal("--substeps-per-exchange requires --kernel mhd" predict --nodes 2 --kernel jacobi3d --substeps-per-exchange 2)
expect_refusal("--substeps-per-exchange is '4'; allowed is 1, 2 or a multiple of 3" predict --nodes 2 --kernel mhd --substeps-per-exchange 4)
expect_refusal("--substeps-per-exchange cannot be used with --exchanges-per-step" predict --nodes 2 --kernel mhd --substeps-per-exchange 3 --exchanges-per-step 2)
foreach(option "--transports self" "--partition exact" "--level node" "--beta 1" "--tau0 1" "--neighbours 2" "--latency 1" "--device-mpi")
  separate_arguments(words UNIX_COMMAND "${option}")
  list(GET words 0 name)
  expect_refusal("${name} cannot be used with --study schemes" predict --nodes 1 --devices-per-node 2 --kernel laplace3d --study schemes ${words})
endforeach()
expect_refusal("--messages cannot be used with --study schemes" predict --nodes 1 --devices-per-node 2 --kernel laplace3d --study schemes --messages by-rank)

# laplace3d by scheme, on the servers of the streams-and-threads paper.
set(schemes "--ranks-per-node 4 --kernel laplace3d --study schemes --csv")
set(k20 "predict --machine ${SOURCE}/machines/k20-server.json ${schemes} --sizes")
expect_row("schemes,128,4,threads,4[.]0829[0-9]*e-05,410[.]" "32 planes of 128^2 cells at 16 bytes and 208 GB/s take 40.3 us, and 0.5 us pass before: copies are hidden" "${k20} 128")
expect_row("schemes,128,4,left-right,7[.]33[0-9]*e-05," "two planes 3.0 us, then four copies in a row, each 131,072 bytes at 8 GB/s, 16.4 us, and 1.1 us or 1.3 us of latency" "${k20} 128")
expect_row("schemes,128,4,left-right.mpi,8[.]19[0-9]*e-05," "two messages more in a row, through memory of the host" "${k20} 128")
expect_row("schemes,64,4,threads,.*,2[.]17" "guide 12, K20: two copies in a row instead of four, and no messages" "${k20} 64")
expect_row("schemes,512,4,threads,.*,1[.]000[0-9]\n" "guide 12, C2050: the paper's 58 % are not simulated, as inner points hide all copies" "predict --machine ${SOURCE}/machines/c2050-server.json ${schemes} --sizes 512")
expect_row("schemes,256,4,threads,.*,1[.]38" "guide 12, GTX 590: cards share their link to the host, and a GPU copies in one direction at a time" "predict --machine ${SOURCE}/machines/gtx590-server.json ${schemes} --sizes 256 --copy-engines 1")
expect_row("schemes,64,4,threads,1[.]50*e-05," "a thread of a side hands over three operations of 5 us, and waits for no device" "${k20} 64 --device-launch 5 --synchronise 10 --mpi-latency 1 --mpi-overhead 0.5 --mpi-copy 5")
expect_refusal("--study schemes requires --kernel laplace3d" predict --machine ${SOURCE}/machines/k20-server.json --kernel mhd --study schemes)
expect_refusal("--copy-engines requires --study schemes" predict --machine ${SOURCE}/machines/k20-server.json --kernel laplace3d --copy-engines 1)
expect_refusal("size in z is 9; allowed is a multiple of the number of devices, 2" predict --machine ${SOURCE}/machines/k20-server.json --kernel laplace3d --study schemes --sizes 9)
expect_refusal("a node has 1 device; --study schemes needs 2 or more" predict --nodes 2 --pi 1 --kernel laplace3d --study schemes)
expect_refusal("--kernel custom requires --bytes-per-cell, --flops-per-cell or --pi" predict --nodes 2 --size 64)
expect_refusal("--radius cannot be used with --kernel mhd" predict --nodes 2 --kernel mhd --radius 2)
expect_refusal("--sizes requires --study" predict --nodes 2 --kernel mhd --sizes 64)
expect_refusal("--size cannot be used with --study" predict --nodes 2 --kernel mhd --size 64 --study weak)
expect_refusal("--pi is '-1'; allowed is a number from 0" predict --nodes 2 --kernel mhd --pi -1)

# Pearson et al. on Summit, by 'simulate --study'. On 8 nodes, because there no dimension of the grid of nodes is spanned by one node any more, so that bytes between
# nodes have reached their maximum.
set(summit "simulate --machine ${SOURCE}/machines/summit.json --nodes 8 --ranks-per-node 6 --radius 3 --fields 4xf32 --csv --study")
expect_row("weak,8n/6r/6g/2726,[+]remote,.*,2[.]9774[0-9]*e-02,,core" "cores copy within the node what specialisation keeps away from MPI: 1.20 x" "${summit} weak")
expect_row("weak,8n/6r/6g/2726,[+]self,.*,2[.]4827[0-9]*e-02,,network" "542 MB that a node sends at 25 GB/s, and stages before and behind it" "${summit} weak")
expect_row("weak,8n/6r/6g/2726/ca,[+]self,.*,4[.]6526[0-9]*e-02,,network" "messages from device memory one by one: twice the staged time" "${summit} weak")
expect_row("strong,8n/6r/6g/1363,[+]self,.*,6[.]2530[0-9]*e-03,,network" "a quarter of weak scaling's halo" "${summit} strong")
set(node "simulate --machine ${SOURCE}/machines/summit.json --nodes 1 --ranks-per-node 6 --radius 3 --fields 4xf32 --csv --study")
expect_row("ladder,1n/1r/6g/1363,[+]remote,.*,5[.]1422[0-9]*e-02,,core" "one core copies what six GPUs send: more ranks are faster" "${node} ladder")
expect_row("ladder,1n/2r/6g/1363,[+]remote,.*,3[.]7282[0-9]*e-02,,core" "two cores" "${node} ladder")
expect_row("ladder,1n/6r/6g/1363,[+]remote,.*,2[.]0100[0-9]*e-02,,core" "figure 12a: 6.0 x, to which mpi_copy is fitted" "${node} ladder")
expect_row("ladder,1n/6r/6g/1363,[+]self,.*,3[.]3384[0-9]*e-03,,inter_package" "the X-bus: 181 MB at 64 GB/s take 2.8 ms" "${node} ladder")
expect_row("ladder,1n/6r/6g/1363/ca,[+]remote,.*,6[.]5986[0-9]*e-03,,inter_package" "figure 12a: 2.0 x, to which mpi_device_latency is fitted" "${node} ladder")
expect_row("placement,1n/6r/6g/1440x1452x700,trivial [+]self,.*,2[.]3746[0-9]*e-03,,inter_package" "figure 11: large faces pass the X-bus" "${node} placement")
expect_row("placement,1n/6r/6g/1440x1452x700,node-aware [+]self,.*,1[.]8664[0-9]*e-03,,inter_package" "figure 11: 21 % less, as triads keep them" "${node} placement")
report_count()
