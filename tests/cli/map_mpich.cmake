# SPDX-License-Identifier: BSD-3-Clause
# Whether the files of `halocline map --format mpich` place the ranks as they should, with MPICH's launcher, Hydra.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/map_machine.cmake)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_PHYSICAL_CORES)
if(NOT HYDRA)
  message(STATUS "skipped: no mpiexec.hydra; install mpich, or set HALOCLINE_HYDRA")
  return()
elseif(cores LESS 2)
  message(STATUS "skipped: one core, on which all ranks are alike")
  return()
endif()
fresh_folder(map_mpich)
write_machine(${folder}/here.json "${host}" ", \"device_uuids\": [\"GPU-first\", \"GPU-second\"]")
# Two nodes, both here: Hydra's launcher `fork` starts the processes of any host on this one.
write_machine(${folder}/two.json "n0;n1" ", \"device_uuids\": [\"GPU-first\", \"GPU-second\"]")
write_patterns(${folder})

# expect_started(<wanted lines> <matrix> <machine> <words for Hydra> <words for map>): runs the command that map prints,
# unchanged except for the words for Hydra
macro(expect_started wanted matrix machine hydra)
  file(REMOVE_RECURSE ${folder}/run)
  run_program(code out err map --machine ${folder}/${machine}.json --cpu ${folder}/${matrix}.csv --gpu ${folder}/${matrix}.csv
              --format mpich --output ${folder}/run ${ARGN})
  string(REGEX REPLACE ".*start it there with: mpiexec ([^\n]*) PROGRAM\n.*" "\\1" words "${out}")
  separate_arguments(words UNIX_COMMAND "${words}")
  execute_process(COMMAND ${HYDRA} ${hydra} ${words} sh ${CMAKE_CURRENT_LIST_DIR}/show_place.sh here WORKING_DIRECTORY ${folder}/run
                  OUTPUT_VARIABLE shown ERROR_VARIABLE problem TIMEOUT 60)
  expect_lines("mpiexec ${hydra} ${words} (map ${ARGN})" "${wanted}" "${shown}${problem}")
endmacro()
set(place "node here processors")
expect_started("rank 0 ${place} 1 devices GPU-first;rank 1 ${place} 0 devices GPU-second" pair here "" --cpu-numbers 1,0)
expect_started("rank 0 ${place} 0 devices GPU-first;rank 1 ${place} 1 devices GPU-second" pair here "")
expect_started("rank 0 ${place} 1 devices GPU-first;rank 1 ${place} 0 devices GPU-second;rank 2 ${place} 1 devices GPU-first;rank 3 ${place} 0 devices GPU-second"
               blocks two "-launcher;fork" --cpu-numbers 1,0)
expect_started("rank 0 ${place} 0 devices GPU-first;rank 1 ${place} 0 devices GPU-first;rank 2 ${place} 1 devices GPU-second;rank 3 ${place} 1 devices GPU-second"
               scattered two "-launcher;fork" --cpu-numbers 0,1)
report_count()
