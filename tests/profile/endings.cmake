# Jobs that do not end as they should, and arguments that are wrong.
include(${CMAKE_CURRENT_LIST_DIR}/../cli/expect.cmake)

function(expect_ending name wanted_code pattern file_is_there)
  file(WRITE ${WORK}/ending.csv "of an earlier job\n")
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE code OUTPUT_VARIABLE out
                  ERROR_VARIABLE err TIMEOUT 120)
  set(there FALSE)
  if(EXISTS ${WORK}/ending.csv)
    set(there TRUE)
  endif()
  if(code EQUAL wanted_code AND err MATCHES "${pattern}" AND there STREQUAL file_is_there AND
     NOT EXISTS ${WORK}/ending.csv.part)
    set(ok TRUE)
  else()
    set(ok FALSE)
  endif()
  count(ok "${name}" "wanted: ${wanted_code}, ${pattern}\nexit code ${code}, file: ${there}\n${out}${err}")
  set(tried ${tried} PARENT_SCOPE)
  set(right ${right} PARENT_SCOPE)
endfunction()

set(profile ${PROGRAM} profile --output ending.csv)
expect_ending("abort" 3 "halocline profile: warning: the program called MPI_Abort, so no file is written" FALSE
              ${MPIRUN} -n 2 ${profile} -- ${CALLS} abort)
expect_ending("exit" 4 "halocline profile: warning: the program ended without MPI_Finalize, so no file" FALSE
              ${MPIRUN} -n 2 ${profile} -- ${CALLS} exit)
expect_ending("unseen" 0 "halocline profile: warning: MPI was started by a way that is not seen" TRUE
              ${MPIRUN} -n 2 ${profile} -- ${CALLS} unseen)
expect_ending("a program without MPI" 0 "^$" TRUE ${profile} -- ${CMAKE_COMMAND} -E true)
expect_ending("a folder that is not there" 2
              "halocline profile: error: /nowhere/job.csv cannot be written: No such file or directory" TRUE
              ${MPIRUN} -n 2 ${PROGRAM} profile --output /nowhere/job.csv -- ${CALLS} no.csv)
expect_ending("no program" 2 "^halocline: error: the program of 'halocline profile' is ''; allowed is '-- program" TRUE
              ${profile})
expect_ending("a program that is not there" 1 "^halocline: error: '/nowhere/app' cannot be run: No such file" TRUE
              ${profile} -- /nowhere/app)
expect_ending("no library" 1 "^halocline: error: the profiling library /nowhere/p.so is not there: build" TRUE
              ${CMAKE_COMMAND} -E env HALOCLINE_PROFILE_LIBRARY=/nowhere/p.so ${profile} -- ${CALLS})
expect_ending("no such option" 2 "'--frob' is not an option of 'halocline profile'" TRUE
              ${PROGRAM} profile --frob -- ${CALLS})
report_count()
