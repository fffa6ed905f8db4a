# SPDX-License-Identifier: BSD-3-Clause
# Two subdomains of 64^3 cells on two nodes that a link of 100 Mbit/s joins. In an exchange each sends two faces of 3
# layers: 196,608 bytes, 15.7 ms. The lower bound shows that the link is shaped, the upper one that it is used.
execute_process(
  COMMAND ${LAUNCHER} --rate 100mbit -n 2 ${PROGRAM} exchange --size 128 64 64 --node-grid 2 1 1 --device-grid 1 1 1
          --radius 3 --no-edges --no-corners --open y,z --fields 1xf64 --repeat 1 --steady 20 --transports mpi_staged --json
  OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE result)
if(errors MATCHES "virtual_nodes.sh: skipped: ")
  message("${errors}")
  return()
endif()
if(NOT result EQUAL 0)
  message(FATAL_ERROR "exit code ${result}: ${errors}")
endif()
string(JSON seconds GET "${output}" steady mean_s)
execute_process(COMMAND awk "BEGIN { t = ${seconds} / (2 * 64 * 64 * 3 * 8 * 8 / 100e6); print t; exit !(t > 0.95 && t < 2.5) }"
                OUTPUT_VARIABLE ratio RESULT_VARIABLE result OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "an exchange takes ${seconds} s, ${ratio} times the time of its bytes on the link; allowed is 0.95 to 2.5")
endif()
message("${ratio} times the time of the bytes on the link")
