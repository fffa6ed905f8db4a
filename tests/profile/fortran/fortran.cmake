# SPDX-License-Identifier: BSD-3-Clause
# Programs in Fortran, with each of MPI's interfaces, are counted as the same program in C; and they end in the same
# way.
include(${CMAKE_CURRENT_LIST_DIR}/../../cli/expect.cmake)

string(REPLACE "," ";" TWINS "${TWINS}")

# profiled(<ranks> <file> <words...>): sets code, out and err of a job that writes the file
macro(profiled ranks file)
  file(REMOVE ${WORK}/${file})
  execute_process(COMMAND ${MPIRUN} -n ${ranks} ${PROGRAM} profile --output ${file} -- ${ARGN} WORKING_DIRECTORY ${WORK}
                  RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 120)
endmacro()

foreach(job "2 threads" "3 plain")
  separate_arguments(job UNIX_COMMAND "${job}")
  list(GET job 0 ranks)
  list(GET job 1 how)
  profiled(${ranks} twin_c.csv ${C_TWIN})
  file(STRINGS ${WORK}/twin_c.csv lines)
  list(LENGTH lines length)
  foreach(twin IN LISTS TWINS)
    profiled(${ranks} twin.csv ${TWIN}${twin} ${how})
    execute_process(COMMAND diff ${WORK}/twin_c.csv ${WORK}/twin.csv RESULT_VARIABLE differs OUTPUT_VARIABLE lines
                    ERROR_VARIABLE lines)
    set(ok FALSE)
    # Two lines are the header; each rank sends to a different one.
    if(code EQUAL 0 AND differs EQUAL 0 AND length GREATER ranks)
      set(ok TRUE)
    endif()
    count(ok "${twin} on ${ranks} ranks, ${how}" "exit code ${code}\n${out}${err}in C < > in Fortran:\n${lines}")
  endforeach()
endforeach()

foreach(twin IN LISTS TWINS)
  profiled(2 twin.csv ${TWIN}${twin} abort)
  set(ok FALSE)
  if(code EQUAL 3 AND err MATCHES "warning: the program called MPI_Abort, so no file" AND NOT EXISTS ${WORK}/twin.csv)
    set(ok TRUE)
  endif()
  count(ok "${twin} abort" "exit code ${code}\n${out}${err}")
endforeach()

profiled(2 plugin.csv ${PLUGIN_HOST} ${PLUGIN})
set(seen "")
if(EXISTS ${WORK}/plugin.csv)
  file(READ ${WORK}/plugin.csv seen)
endif()
set(ok FALSE)
if(code EQUAL 0 AND seen MATCHES "\n0,1,36,1,0,0\n1,0,36,1,0,0\n# end\n$")
  set(ok TRUE)
endif()
count(ok "a plug-in in Fortran" "exit code ${code}\n${out}${err}${seen}")
report_count()
