# SPDX-License-Identifier: BSD-3-Clause
# bench/validate_simulation_gpu.sh on two host devices: every requested case compares, for all routes and numbers of
# ranks.
set(out ${WORK}/validate_simulation)
file(REMOVE_RECURSE ${out})
set(cases staged-A seed-B direct-A direct-bars direct-one)

# run(CODE arguments...): sets `errors` and `printed`.
function(run code)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env HALOCLINE=${PROGRAM} HALOCLINE_BACKEND=host "SIDES=16 16 24 24"
                  MEASURE_SECONDS=1 REPEAT=2 STEADY=3 ${SOURCE}/bench/validate_simulation_gpu.sh ${ARGN}
                  RESULT_VARIABLE result OUTPUT_VARIABLE printed ERROR_VARIABLE errors)
  if(NOT result STREQUAL code)
    message(FATAL_ERROR "FAILED: validate_simulation_gpu.sh ${ARGN} ended with ${result} instead of ${code}:\n${printed}${errors}")
  endif()
  set(errors "${errors}" PARENT_SCOPE)
  set(printed "${printed}" PARENT_SCOPE)
endfunction()

run(0 ${out} ${cases})
file(STRINGS ${out}/cases.csv lines)
list(POP_FRONT lines header)
if(NOT header MATCHES "^case,messages,bytes,.*simulated_s,error,slowest$")
  message(FATAL_ERROR "FAILED: header of cases.csv: ${header}")
endif()
set(compared 0)
foreach(name line IN ZIP_LISTS cases lines)
  # Name, messages, bytes, four real times, the simulated time, the error, the level: all numbers are there, and
  # positive except for the error.
  set(time "[0-9]*\\.?[0-9]*[1-9][0-9]*(e-[0-9]+)?")
  if(NOT line MATCHES "^${name},[1-9][0-9]*,[1-9][0-9]*,${time},${time},${time},${time},${time},-?[0-9.e-]+,[a-z]+$")
    message(FATAL_ERROR "FAILED: case ${name} in cases.csv: ${line}")
  endif()
  math(EXPR compared "${compared} + 1")
endforeach()
if(NOT printed MATCHES "5 cases, error: median [0-9.]+%, largest [0-9.]+%")
  message(FATAL_ERROR "FAILED: no summary in:\n${printed}")
endif()

# Results of more than one exchange are reported, and fail.
file(READ ${out}/seed-B.simulated.json document)
string(REPLACE "ipc_copy" "peer_copy" document "${document}")
file(WRITE ${out}/seed-B.simulated.json "${document}")
execute_process(COMMAND python3 ${SOURCE}/bench/validate_simulation.py table ${out} ${cases}
                RESULT_VARIABLE result OUTPUT_VARIABLE printed ERROR_VARIABLE errors)
if(result EQUAL 0 OR NOT errors MATCHES "seed-B is not compared: the two differ in 'transports'")
  message(FATAL_ERROR "FAILED: other transports were not noticed: ${result} ${printed} ${errors}")
endif()
run(1 ${out} no-such-case)
if(NOT errors MATCHES "none of the cases is 'no-such-case'; allowed are: staged-A ")
  message(FATAL_ERROR "FAILED: ${errors}")
endif()
message("${compared} of 5 as expected")
