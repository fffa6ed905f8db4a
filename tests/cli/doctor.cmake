# SPDX-License-Identifier: BSD-3-Clause
# What 'halocline doctor' finds on a machine on which all is well, and whether it notices what is not: each planted fault gives
# "no" with its fix, and exit code 1.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)
set(folder ${WORK}/doctor)
file(REMOVE_RECURSE ${folder})
file(MAKE_DIRECTORY ${folder}/python/halocline ${folder}/lib ${folder}/bin)
set(doctor ${PROGRAM} doctor --backend host --timeout 60)
# No launcher is tried: it takes a second.
set(ENV{HALOCLINE_COMM} serial)
set(ENV{PYTHONDONTWRITEBYTECODE} 1)

# expect_report(<what> <exit code> <regular expressions, all of which must match> <words...>)
function(expect_report what wanted expressions)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${folder} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 100)
  too_wide("${out}" wide)
  set(missing "")
  foreach(expression IN LISTS expressions)
    if(NOT "\n${out}" MATCHES "\n${expression}")
      string(APPEND missing "missing: ${expression}\n")
    endif()
  endforeach()
  set(ok FALSE)
  if(code EQUAL wanted AND missing STREQUAL "" AND wide STREQUAL "" AND out MATCHES "check  ")
    set(ok TRUE)
  endif()
  count(ok "${what}" "wanted exit code ${wanted}, was ${code}\n${missing}${wide}${out}${err}")
  foreach(variable tried right)
    set(${variable} ${${variable}} PARENT_SCOPE)
  endforeach()
endfunction()
set(in_shell bash -c)
string(JOIN " " line ${doctor})

# All is well: everything that is built in works.
expect_report("one rank" 0 "variables +ok;open files +ok;devices +ok +2 host devices;direct +ok;peer_copy +ok;mpi_staged +ok;[0-9]+ checks: [0-9]+ ok, 0 no,"
              ${doctor})
run_program(code out err doctor --backend host --json)
is_one_document("${out}" ok)
string(JSON works ERROR_VARIABLE problem GET "${out}" works)
if(NOT code EQUAL 0 OR NOT works)
  set(ok FALSE)
endif()
count(ok "one rank, --json" "exit code ${code}\n${out}${err}")

# Planted faults.
expect_report("few descriptors" 1 "open files +no +only [0-9]+ more could be opened;  +fix +[^\n]*(ulimit|nofile)" ${in_shell} "ulimit -n 64 && ${line}")
expect_report("a variable that nothing reads" 1 "variables +no +HALOCLINE_TIMOUT is set;  +fix " ${CMAKE_COMMAND} -E env HALOCLINE_TIMOUT=3 ${doctor})
file(WRITE ${folder}/python/halocline/__init__.py "raise ImportError('libfoo.so.1: cannot open shared object file')\n")
find_program(python python3)
if(python)
  expect_report("a Python package whose library is missing" 1 "Python +no +ImportError: libfoo.so.1: cannot open shared object file;  +fix +pip install"
                ${CMAKE_COMMAND} -E env PYTHONPATH=${folder}/python ${doctor})
endif()
expect_report("no Python" 0 "Python +absent +no python3 on PATH" ${CMAKE_COMMAND} -E env PATH=${folder}/bin ${doctor})
file(WRITE ${folder}/lib/libnccl.so.2 "no library")
expect_report("a damaged library" 1 "NCCL +no +[^\n]*libnccl.so.2;  +fix +reinstall NCCL" ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${folder}/lib ${doctor})

if(NOT MPIEXEC)
  expect_report("no MPI in the build" 0 "MPI +absent +not in this build;  +fix +[^\n]*HALOCLINE_MPI=ON" ${doctor})
  expect_report("a job without MPI in the build" 1 "launcher +no +[^\n]*MPI is not built;  +fix +configure it with"
                ${CMAKE_COMMAND} -E env --unset=HALOCLINE_COMM PMI_SIZE=2 PMI_RANK=0 ${doctor})
  report_count()
  return()
endif()

# A /dev/shm that is too small, in a mount namespace of its own.
set(mounted "mount -t tmpfs -o size=64k none /dev/shm")
execute_process(COMMAND unshare -rm sh -c "${mounted}" RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
if(code EQUAL 0)
  expect_report("a small /dev/shm" 1 "/dev/shm +no +8.39 MB for each of 1 rank cannot be reserved[^\n]*;  +fix +mount -o remount"
                unshare -rm sh -c "${mounted} && exec ${line}")
else()
  message(STATUS "not tried: a small /dev/shm: unshare -rm and mount are not permitted here")
endif()

unset(ENV{HALOCLINE_COMM})
execute_process(COMMAND ${MPIEXEC} --version OUTPUT_VARIABLE version ERROR_VARIABLE version)
if(version MATCHES "Open MPI|OpenRTE")
  # By the variables of the launcher of another MPI: the first process reports, the others leave it alone.
  expect_report("the launcher of another MPI" 1 "launcher +no +started by Hydra;  +fix +start it with the mpirun of that MPI;MPI +skipped"
                ${CMAKE_COMMAND} -E env PMI_SIZE=2 PMI_RANK=0 ${doctor})
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PMI_SIZE=2 PMI_RANK=1 ${doctor} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  set(ok FALSE)
  if(code EQUAL 0 AND "${out}${err}" STREQUAL "")
    set(ok TRUE)
  endif()
  count(ok "another process of that job" "exit code ${code}\n${out}${err}")
  if(HYDRA)
    expect_report("the launcher of another MPI, itself" 1 "launcher +no +started by Hydra;[0-9]+ checks: [0-9]+ ok, 1 no," ${HYDRA} -n 2 ${doctor})
  else()
    message(STATUS "not tried: MPICH's launcher is not installed")
  endif()
  # Open MPI refuses to start ranks as root, or more ranks than cores, unless it is told to.
  set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
  set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
  set(ENV{OMPI_MCA_rmaps_base_oversubscribe} 1)
  expect_report("two ranks of the build's MPI, which the check starts itself" 0 "MPI +ok +Open MPI[^\n]* passed" ${doctor})
  expect_report("an MPI that cannot start ranks" 1 "MPI +no +Open MPI[^\n]*failed;  +fix " ${CMAKE_COMMAND} -E env OMPI_MCA_btl=self OMPI_MCA_pml=ob1 ${doctor})
endif()
expect_report("four ranks" 0 "launcher +ok +[^\n]*4 ranks;MPI +ok;MPI threads +ok;shared memory +ok;direct +ok;ipc_copy +ok;mpi_staged +ok;[0-9]+ checks: [0-9]+ ok, 0 no,"
              ${MPIRUN} -n 4 ${doctor})
# One rank differs; on virtual nodes it is the node that is named.
set(one "ulimit -n 200 && exec ${line} --ranks-per-node 1")
expect_report("one rank with few descriptors" 1 "open files +no +node [^ ]+/0: only;  +ok +node [^ ]+/1"
              ${MPIRUN} -n 1 ${in_shell} "${one}" : -n 1 ${doctor} --ranks-per-node 1)
report_count()
