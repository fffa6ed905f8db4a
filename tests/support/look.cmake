# SPDX-License-Identifier: BSD-3-Clause
# Shared by scripts that inspect a program or a library.

# look(<command>...): sets output
function(look)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE error)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${code}\n${output}${error}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
