# SPDX-License-Identifier: BSD-3-Clause
# Four devices in a chain of links that are ten times as fast as all others, 128^3 cells: the grid and the placement chosen by time, and those of
# exact and the assignment. By the links' rates they take 63 and 315 ms; required is half the time.
file(MAKE_DIRECTORY ${WORK})
execute_process(COMMAND ${PROGRAM} machine --machine hypothetical-node --ranks-per-node 4 --json
                OUTPUT_FILE ${WORK}/chain.json COMMAND_ERROR_IS_FATAL ANY)

# Processes that cannot see each other cannot map each other's memory, although the map has them on one node. With put, Open MPI's requests wait behind
# the data of the other direction.
function(time_exchanges seconds)
  execute_process(
    COMMAND ${LAUNCHER} --nodes 4 --links ${LINKS} --mca btl_tcp_flags 1 -n 4 unshare --pid --fork --kill-child --mount-proc
            ${PROGRAM} exchange --machine ${WORK}/chain.json --size 128 --radius 3 --open x,y,z --fields 4xf32 ${ARGN}
            --transports self,direct,mpi_staged --warm-up 1 --repeat 5 --steady 0 --verify --json
    OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE result)
  if(errors MATCHES "virtual_nodes.sh: skipped: ")
    message("${errors}")
    set(${seconds} skipped PARENT_SCOPE)
    return()
  endif()
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "exit code ${result}: ${output}${errors}")
  endif()
  string(JSON found GET "${output}" times p50_s)
  string(JSON grid GET "${output}" subdomain_grid)
  string(REGEX REPLACE "[^0-9]+" " " grid "${grid}")
  message("grid${grid}: ${found} s")
  set(${seconds} ${found} PARENT_SCOPE)
endfunction()

time_exchanges(chosen)
if(chosen STREQUAL "skipped")
  return()
endif()
time_exchanges(exact --partition exact --place exact)
execute_process(COMMAND awk "BEGIN { print ${exact} / ${chosen}; exit !(${exact} > 2 * ${chosen}) }"
                OUTPUT_VARIABLE ratio RESULT_VARIABLE result OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "exact takes ${ratio} times as long; allowed is more than 2")
endif()
message("exact takes ${ratio} times as long")
