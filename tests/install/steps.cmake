# Shared by the install tests.

# run(<what> <command>...): fails the test, with all output, where the command fails.
function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${output}")
  endif()
  message(STATUS "${what}: done")
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Builds the consumer that was configured in WORK/build, and runs it alone, without any launcher.
function(build_and_run)
  run("building the consumer" ${CMAKE_COMMAND} --build ${WORK}/build)
  execute_process(COMMAND ${WORK}/build/consumer RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0 OR NOT output MATCHES "2 subdomains, 432 cells, 0 wrong")
    message(FATAL_ERROR "the consumer ended with ${status} and said:\n${output}")
  endif()
  message(STATUS "the consumer said: ${output}")
  if(MPI AND NOT EXISTS ${WORK}/build/consumer_mpi)
    message(FATAL_ERROR "halocline has MPI, but offers no halocline::comm_mpi")
  endif()
endfunction()
