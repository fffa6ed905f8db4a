# SPDX-License-Identifier: BSD-3-Clause
# Jobs that end abnormally, and wrong arguments.
include(${CMAKE_CURRENT_LIST_DIR}/../cli/expect.cmake)
set(folder ${WORK}/endings)
file(REMOVE_RECURSE ${folder})
file(MAKE_DIRECTORY ${folder})

# None of these jobs writes a profile, so that the profile of an earlier job stays unchanged, and no other file is made.
function(expect_ending name wanted_code pattern)
  file(WRITE ${folder}/ending.csv "of an earlier job\n")
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${folder} RESULT_VARIABLE code OUTPUT_VARIABLE out
                  ERROR_VARIABLE err TIMEOUT 120)
  file(READ ${folder}/ending.csv kept)
  file(GLOB files RELATIVE ${folder} ${folder}/* ${folder}/.*)
  list(REMOVE_ITEM files . .. ending.csv link.csv "a b" "a:b" broken.so)
  if(code EQUAL wanted_code AND err MATCHES "${pattern}" AND kept STREQUAL "of an earlier job\n" AND NOT files)
    set(ok TRUE)
  else()
    set(ok FALSE)
  endif()
  count(ok "${name}" "wanted: ${wanted_code}, ${pattern}\nexit code ${code}, ending.csv: ${kept}others: ${files}\n${out}${err}")
  set(tried ${tried} PARENT_SCOPE)
  set(right ${right} PARENT_SCOPE)
endfunction()

# The same for a script, in which $profile is the command.
function(expect_script name wanted_code pattern script)
  file(WRITE ${WORK}/ending.sh "profile='${PROGRAM} profile --output ending.csv'\n${script}\n")
  expect_ending("${name}" "${wanted_code}" "${pattern}" bash ${WORK}/ending.sh)
  set(tried ${tried} PARENT_SCOPE)
  set(right ${right} PARENT_SCOPE)
endfunction()

set(profile ${PROGRAM} profile --output ending.csv)
set(earlier "halocline: error: the program ended without a profile: ${folder}/ending.csv is that of an earlier job\n")
expect_ending("abort" 3 "halocline profile: warning: the program called MPI_Abort, so no file is written"
              ${MPIRUN} -n 2 ${profile} -- ${CALLS} abort)
expect_ending("exit" 4 "halocline profile: warning: the program ended without MPI_Finalize, so no file"
              ${MPIRUN} -n 2 ${profile} -- ${CALLS} exit)
expect_ending("unseen" 1 "halocline profile: warning: MPI was started by a way that is not seen.*${earlier}"
              ${MPIRUN} -n 2 ${profile} -- ${CALLS} unseen)
expect_ending("a program without MPI" 1 "^${earlier}$" ${profile} -- ${CMAKE_COMMAND} -E true)
expect_ending("a program without MPI, and no file" 1
              "^halocline: error: the program ended without a profile: ${folder}/none.csv was not written\n$"
              ${PROGRAM} profile --output none.csv -- ${CMAKE_COMMAND} -E true)
expect_ending("a program that fails" 7 "^$" ${profile} -- sh -c "exit 7")
expect_script("a program that is killed" 137 "^[^\n]*Killed[^\n]*\n$" "$profile -- sh -c 'kill -9 $$'; exit $?")
expect_script("a job that is killed keeps the last profile" 137 "Killed"
              "${MPIRUN} -n 2 $profile -- ${CALLS} hang & sleep 5; kill -9 $!; wait $!; exit $?")
# The program gets the signal, and does not outlive the command.
expect_script("a signal reaches the program" 5 "^$"
              "$profile -- sh -c 'trap \"exit 5\" TERM; sleep 60 > /dev/null 2>&1 & wait' & sleep 2; kill -TERM $!; wait $!")
# Its parent may not have collected its exit code yet, so that it may be a zombie.
expect_script("the program does not outlive the command" 0 "^[^\n]*Killed[^\n]*\n$"
              "$profile -- sh -c 'echo $$ > id; exec sleep 60 > /dev/null 2>&1' & sleep 2; kill -9 $!; wait $!; sleep 0.5
               id=$(cat id); rm id; test -n \"$id\" && ! grep -qs 'State:.*[RSD] ' /proc/$id/status; exit $?")
expect_ending("a folder that is not there" 2
              "halocline profile: error: halocline profile --output is '/nowhere/job.csv'; allowed is a file [^\n]*No such file or directory"
              ${MPIRUN} -n 2 ${PROGRAM} profile --output /nowhere/job.csv -- ${CALLS} no.csv)
file(CREATE_LINK ending.csv ${folder}/link.csv SYMBOLIC)
expect_ending("a link in the place of the file" 2 "--output is '${folder}/link.csv'; allowed is a file [^\n]*symbolic link"
              ${MPIRUN} -n 2 ${PROGRAM} profile --output link.csv -- ${CALLS} no.csv)
expect_ending("no program" 2 "^halocline: error: 'halocline profile' requires a program: '-- program" ${profile})
expect_ending("a program that is not there" 1 "^halocline: error: '/nowhere/app' cannot be run: No such file"
              ${profile} -- /nowhere/app)
expect_ending("no library" 1 "^halocline: error: the profiling library /nowhere/p.so is not there: build"
              ${CMAKE_COMMAND} -E env HALOCLINE_PROFILE_LIBRARY=/nowhere/p.so ${profile} -- ${CALLS})
# The dynamic linker only warns about these, and starts the program without the library.
foreach(name "a b" "a:b")
  file(COPY ${LIBRARY} DESTINATION "${folder}/${name}")
  get_filename_component(library ${LIBRARY} NAME)
  expect_ending("a library in '${name}'" 2 "^halocline: error: the profiling library is '[^\n]*${name}/[^\n]*'; allowed is a path without spaces, ':'"
                ${CMAKE_COMMAND} -E env "HALOCLINE_PROFILE_LIBRARY=${folder}/${name}/${library}" ${profile} -- ${CALLS})
endforeach()
file(WRITE ${folder}/broken.so "no library\n")
expect_ending("a file that is no library" 1 "^halocline: error: the profiling library cannot be loaded: [^\n]*broken.so"
              ${CMAKE_COMMAND} -E env HALOCLINE_PROFILE_LIBRARY=${folder}/broken.so ${profile} -- ${CALLS})
expect_ending("no such option" 2 "unknown option '--frob' of 'halocline profile'" ${PROGRAM} profile --frob -- ${CALLS})
report_count()
