# SPDX-License-Identifier: BSD-3-Clause
# Whether the files of `halocline map --format slurm` place the ranks as they should, on the first two idle nodes of the
# available Slurm. Only one step: the controller of Slurm 22.05.8 refuses the next step after one with
# --distribution=arbitrary.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/map_machine.cmake)
if(NOT SRUN)
  message(STATUS "skipped: no srun; install slurm-client, or set HALOCLINE_SRUN")
  return()
endif()
get_filename_component(slurm ${SRUN} DIRECTORY)
execute_process(COMMAND ${slurm}/sinfo -h -N -t idle -o %N OUTPUT_VARIABLE nodes ERROR_VARIABLE problem RESULT_VARIABLE code TIMEOUT 20)
string(REGEX MATCHALL "[^\n ]+" nodes "${nodes}")
list(REMOVE_DUPLICATES nodes)
list(LENGTH nodes number)
if(NOT code EQUAL 0 OR number LESS 2)
  message(STATUS "skipped: no Slurm with two idle nodes answers: ${number} idle ${problem}")
  return()
endif()
list(GET nodes 0 first)
list(GET nodes 1 second)
fresh_folder(map_slurm)
write_machine(${folder}/two.json "${first};${second}" ", \"device_uuids\": [\"GPU-first\", \"GPU-second\"]")
write_patterns(${folder})
run_program(code out err map --machine ${folder}/two.json --cpu ${folder}/scattered.csv --gpu ${folder}/scattered.csv --format slurm
            --output ${folder}/run --cpu-numbers 1,0)
string(REGEX REPLACE ".*start it there with: SLURM_HOSTFILE=hostfile srun ([^\n]*) PROGRAM\n.*" "\\1" words "${out}")
separate_arguments(words UNIX_COMMAND "${words}")
execute_process(COMMAND ${CMAKE_COMMAND} -E env SLURM_HOSTFILE=hostfile ${SRUN} --exclusive ${words} sh ${CMAKE_CURRENT_LIST_DIR}/show_place.sh
                WORKING_DIRECTORY ${folder}/run OUTPUT_VARIABLE shown ERROR_VARIABLE problem TIMEOUT 60)
expect_lines("srun ${words}"
  "rank 0 node ${first} processors 1 devices GPU-first;rank 1 node ${second} processors 1 devices GPU-first;rank 2 node ${first} processors 0 devices GPU-second;rank 3 node ${second} processors 0 devices GPU-second"
  "${shown}${problem}")
report_count()
