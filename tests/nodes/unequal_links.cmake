# SPDX-License-Identifier: BSD-3-Clause
# unequal_links.cmake: LAUNCHER PROGRAM WORK, NODES LINKS of the network; MACHINE: a map's name, or "measured"; CHOICE: options of the choice by time; DOMAIN: of the
# exchange; LEAST
# Exchanges on links of different rates: requires that exact and the assignment take at least LEAST times as long as what is chosen by time.
separate_arguments(CHOICE)
separate_arguments(DOMAIN)
file(MAKE_DIRECTORY ${WORK})
# With put, Open MPI's requests wait behind the data of the other direction.
set(launch ${LAUNCHER} --nodes ${NODES} --links ${LINKS} --mca btl_tcp_flags 1 -n ${NODES})

# run(output command ...): returns from the caller where nodes are skipped.
macro(run output)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE ${output} ERROR_VARIABLE errors RESULT_VARIABLE result)
  if(errors MATCHES "virtual_nodes.sh: skipped: ")
    message("${errors}")
    return()
  endif()
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "exit code ${result}: ${${output}}${errors}")
  endif()
endmacro()

# Three times at most: other work on the machine may make times of messages look like switches.
foreach(attempt 1 2 3)
  if(MACHINE STREQUAL "measured")
    # On one core, as latencies between ranks on one core and on two differ by more than between near and far nodes.
    file(STRINGS /proc/self/status cores REGEX "^Cpus_allowed_list:")
    string(REGEX MATCH "[0-9]+" core "${cores}")
    run(map ${launch} taskset -c ${core} ${PROGRAM} machine --measure-network ${WORK}/pairs.csv --measure-bytes 262144 --json)
  else()
    run(map ${PROGRAM} machine --machine ${MACHINE} --ranks-per-node ${NODES} --json)
  endif()
  file(WRITE ${WORK}/map.json "${map}")
  string(JSON network GET "${map}" network)
  message("network: ${network}")

  # Processes that cannot see each other cannot map each other's memory, also where the map has them on one node.
  foreach(plan chosen exact)
    set(options ${CHOICE})
    if(plan STREQUAL "exact")
      set(options --partition exact --place exact)
    endif()
    run(document ${launch} unshare --pid --fork --kill-child --mount-proc ${PROGRAM} exchange --machine ${WORK}/map.json ${options}
        ${DOMAIN} --transports self,direct,mpi_staged --warm-up 1 --repeat 5 --steady 0 --verify --json)
    string(JSON ${plan} GET "${document}" times p50_s)
    string(JSON grid GET "${document}" subdomain_grid)
    string(REGEX REPLACE "[^0-9]+" " " grid "${grid}")
    message("${plan}: ${${plan}} s, grid${grid}")
  endforeach()
  execute_process(COMMAND awk "BEGIN { print ${exact} / ${chosen}; exit !(${exact} >= ${LEAST} * ${chosen}) }"
                  OUTPUT_VARIABLE ratio RESULT_VARIABLE result OUTPUT_STRIP_TRAILING_WHITESPACE)
  message("exact takes ${ratio} times as long; allowed is ${LEAST} or more")
  if(result EQUAL 0)
    return()
  endif()
endforeach()
message(FATAL_ERROR "exact does not take ${LEAST} times as long")
