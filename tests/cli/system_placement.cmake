# SPDX-License-Identifier: BSD-3-Clause
# --place system: subdomains between nodes by the network, in plans, simulations and runs.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)

# Runs a command with --json, and returns one of its values.
function(value_of result words keys)
  separate_arguments(list UNIX_COMMAND "${words} --json")
  run_program(code out err ${list})
  string(JSON value ERROR_VARIABLE problem GET "${out}" ${keys})
  set(${result} "${value}" PARENT_SCOPE)
  set(err "exit code ${code}\n${err}" PARENT_SCOPE)
endfunction()

# expect_text(<regular expression, of text in one line> <words>)
macro(expect_text pattern words)
  separate_arguments(list UNIX_COMMAND "${words}")
  run_program(code out err ${list})
  string(REGEX REPLACE "[ \n]+" " " line "${out}")
  set(ok FALSE)
  if(code EQUAL 0 AND line MATCHES "${pattern}")
    set(ok TRUE)
  endif()
  count(ok "halocline ${words}" "wanted: ${pattern}\nexit code ${code}\n${out}${err}")
endmacro()

# Nodes of one device on a ring of 3 GB/s, numbered so that the next one is half a ring away, or nearly so.
function(write_ring file nodes)
  set(list "")
  foreach(n RANGE 1 ${nodes})
    math(EXPR port "((${n} - 1) % 2) * (${nodes} / 2) + (${n} - 1) / 2")
    string(APPEND list "${comma}{\"name\": \"n${n}\", \"type\": 0, \"port\": ${port}}")
    set(comma ", ")
  endforeach()
  file(WRITE ${file} "{\"schema\": \"halocline-machine/1\", \"name\": \"ring\", \"sources\": [],
    \"types\": [{\"name\": \"node\", \"vertices\": [{\"kind\": \"package\", \"name\": \"CPU\", \"cores\": 2},
                 {\"kind\": \"device\", \"name\": \"GPU 0\"}],
      \"links\": [{\"a\": 0, \"b\": 1, \"kind\": \"pcie\", \"bandwidth\": 16e9, \"latency\": 1e-6}]}],
    \"nodes\": [${list}],
    \"network\": {\"bandwidth\": 12e9, \"latency\": 2e-6, \"fabric\": {\"shape\": \"torus\", \"nodes_per_router\": 1,
      \"dimensions\": [{\"length\": ${nodes}, \"bandwidth\": 3e9, \"latency\": 5e-6}]}}}")
endfunction()
write_ring(${WORK}/ring8.json 8)

set(slabs "--machine ${WORK}/ring8.json --ranks-per-node 1 --size 128 128 512 --node-grid 1 1 8 --device-grid 1 1 1")
value_of(before "simulate ${slabs}" "simulated_s")
value_of(now "simulate ${slabs} --place system" "simulated_s")
set(ok FALSE)
if(now GREATER 0 AND before GREATER 0)
  execute_process(COMMAND awk "BEGIN {exit !(${now} < 0.7 * ${before})}" RESULT_VARIABLE code)
  string(COMPARE EQUAL "${code}" "0" ok)
endif()
count(ok "simulate ${slabs} --place system" "wanted: less than 0.7 of ${before} s\nsimulated: ${now} s\n${err}")
value_of(planned "place ${slabs} --place system" "placement;moves_between_nodes;now_s")
value_of(planned_before "place ${slabs} --place system" "placement;moves_between_nodes;before_s")
set(ok FALSE)
if(planned GREATER 0 AND planned_before GREATER 0)
  # Plans count whole picoseconds.
  execute_process(COMMAND awk "BEGIN {a = ${planned} - ${now}; b = ${planned_before} - ${before}; exit !(a * a < 1e-23 && b * b < 1e-23)}"
                  RESULT_VARIABLE code)
  string(COMPARE EQUAL "${code}" "0" ok)
endif()
count(ok "place ${slabs} --place system" "wanted: ${now} s instead of ${before} s\n${planned} s instead of ${planned_before} s")
value_of(method "place ${slabs} --place system" "placement;method")
string(COMPARE EQUAL "${method}" "system" ok)
count(ok "method of ${slabs}" "${method}")
foreach(command place explain)
  expect_text("by system: simulated [0-9.]+ us an exchange; without moves between nodes [0-9.]+ us" "${command} ${slabs} --place system")
endforeach()

# Reasons.
expect_text("subdomains keep their nodes: all ranks are on one node" "place --devices 2 --size 32 --place system")
expect_text("subdomains keep their nodes: nothing faster was found than simulated [0-9.]+ us"
            "explain --nodes 2 --devices-per-node 1 --size 32 --place system")
file(WRITE ${WORK}/system-weights.txt "1 1 1 1 1 1 1 2\n")
expect_text("subdomains keep their nodes: cells are cut in proportion to devices' speeds"
            "place ${slabs} --place system --weights ${WORK}/system-weights.txt")

# A run on eight virtual nodes of one rank: other owners, by the same launch; the solver checks its result.
if(NOT MPIRUN OR NOT MPIEXEC)
  report_count()
  return()
endif()
run_program(code ranked err machine --machine ${WORK}/ring8.json --ranks-per-node 1 --json)
file(WRITE ${WORK}/ring8-ranks.json "${ranked}")
set(LAUNCH ${MPIRUN} -n 8)
set(ENV{HALOCLINE_RANKS_PER_NODE} 1)
expect_text("by system: simulated [0-9.]+ us an exchange; without moves.*check +passed"
            "run jacobi3d --size 128 128 512 --node-grid 1 1 8 --device-grid 1 1 1 --machine ${WORK}/ring8-ranks.json --place system --steps 5 --check")
report_count()
