# SPDX-License-Identifier: BSD-3-Clause
# The bytes of a plan, compared with the counts of a run. Set-up is the same in two runs, so that their difference is
# what the additional exchanges send.
include(${CMAKE_CURRENT_LIST_DIR}/../cli/expect.cmake)

# expect_plan(<name> <ranks> <times> <header> <words that write one.csv> <words of few exchanges> <words of more>)
function(expect_plan name ranks times header plan fewer more)
  file(REMOVE ${WORK}/one.csv ${WORK}/fewer.csv ${WORK}/more.csv)
  set(seen "")
  separate_arguments(words UNIX_COMMAND "${plan}")
  execute_process(COMMAND ${MPIRUN} -n ${ranks} ${PROGRAM} ${words} --communication one.csv WORKING_DIRECTORY ${WORK}
                  OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 120)
  string(APPEND seen "${err}")
  foreach(run fewer more)
    separate_arguments(words UNIX_COMMAND "${${run}}")
    execute_process(COMMAND ${MPIRUN} -n ${ranks} ${PROGRAM} profile --output ${run}.csv -- ${PROGRAM} ${words}
                    WORKING_DIRECTORY ${WORK} OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 120)
    string(APPEND seen "${err}")
  endforeach()
  execute_process(COMMAND ${COMPARE} ${times} ${header} fewer.csv more.csv one.csv WORKING_DIRECTORY ${WORK}
                  RESULT_VARIABLE differs OUTPUT_VARIABLE out ERROR_VARIABLE err)
  string(COMPARE EQUAL "${differs}" "0" ok)
  count(ok "${name}" "${seen}${out}${err}")
  set(tried ${tried} PARENT_SCOPE)
  set(right ${right} PARENT_SCOPE)
endfunction()

# Halocline's header is 64 bytes before each message. Boxes are aligned to 16 bytes in a message; here their sizes are
# multiples of 16, too.
foreach(words "--size 24 20 16 --radius 2 --fields 2xf32 --transports mpi_staged,self"
              "--size 24 20 16 --radius 2 --fields 1xf64 --devices-per-rank 2 --transports mpi_staged,self --open x"
              "--size 24 20 16 --radius 2 --fields 1xf64 --no-corners --transports mpi_device,self")
  expect_plan("exchange ${words}" 4 15 64 "route ${words}" "exchange ${words} --repeat 1 --steady 10"
              "exchange ${words} --repeat 1 --steady 25")
endforeach()

# One message for each direction: as many as in the plan, each with a header.
set(words "--size 24 20 16 --radius 2 --fields 2xf32 --messages by-direction --transports mpi_staged,self")
expect_plan("exchange ${words}" 4 15 64 "route ${words}" "exchange ${words} --repeat 1 --steady 10"
            "exchange ${words} --repeat 1 --steady 25")

# Set-up also sends from GPU memory, to try MPI: these messages are not counted as the program's.
function(expect_nothing_of_set_up ranks exchanges words)
  file(WRITE ${WORK}/nothing.csv "# ranks ${ranks}\nfrom,to,cpu_bytes,cpu_messages,gpu_bytes,gpu_messages\n# end\n")
  file(REMOVE ${WORK}/one.csv ${WORK}/all.csv)
  separate_arguments(words UNIX_COMMAND "${words}")
  set(seen "")
  foreach(command "route;${words};--communication;one.csv"
          "profile;--output;all.csv;--;${PROGRAM};exchange;${words};--warm-up;0;--repeat;${exchanges};--steady;0")
    execute_process(COMMAND ${MPIRUN} -n ${ranks} ${PROGRAM} ${command} WORKING_DIRECTORY ${WORK}
                    OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 120)
    string(APPEND seen "${err}")
  endforeach()
  execute_process(COMMAND ${COMPARE} ${exchanges} 64 nothing.csv all.csv one.csv gpu WORKING_DIRECTORY ${WORK}
                  RESULT_VARIABLE differs OUTPUT_VARIABLE out ERROR_VARIABLE err)
  string(COMPARE EQUAL "${differs}" "0" ok)
  count(ok "nothing of set-up: exchange ${words}" "${seen}${out}${err}")
  set(tried ${tried} PARENT_SCOPE)
  set(right ${right} PARENT_SCOPE)
endfunction()
expect_nothing_of_set_up(4 3 "--size 24 20 16 --radius 2 --fields 1xf64 --no-corners --transports mpi_device,self")

# Each pattern is run alone and together with the other: with twice the iterations of --repeat.
foreach(words "--cpu 2d --gpu col --weighted" "--cpu 3d --gpu 2d --periodic" "--cpu col --gpu 3d" "--cpu col --gpu col")
  foreach(ranks 4 8)
    set(command "bench patterns ${words} --bytes 1000")
    expect_plan("${command}, ${ranks} ranks" ${ranks} 14 0 "${command} --repeat 1" "${command} --repeat 3"
                "${command} --repeat 10")
  endforeach()
endforeach()
report_count()
