# SPDX-License-Identifier: BSD-3-Clause
# Shared by the scripts of this folder.
cmake_minimum_required(VERSION 3.22)
set(tried 0)
set(right 0)

# run_program(<code> <out-var> <err-var> <words...>)
function(run_program code out err)
  execute_process(COMMAND ${LAUNCH} ${PROGRAM} ${ARGN}
                  RESULT_VARIABLE result OUTPUT_VARIABLE stdout ERROR_VARIABLE stderr TIMEOUT 120)
  set(${code} "${result}" PARENT_SCOPE)
  set(${out} "${stdout}" PARENT_SCOPE)
  set(${err} "${stderr}" PARENT_SCOPE)
endfunction()

# count(<whether it was right> <what was tried> <what was printed>)
macro(count outcome what seen)
  math(EXPR tried "${tried} + 1")
  if(${outcome})
    math(EXPR right "${right} + 1")
  else()
    message(SEND_ERROR "FAILED: ${what}\n${seen}")
  endif()
endmacro()

# expect_refusal(<fragment of the error> <words...>): exit code 2, and one line on standard error alone
macro(expect_refusal fragment)
  run_program(code out err ${ARGN})
  string(FIND "${err}" "${fragment}" at)
  set(ok FALSE)
  if(code EQUAL 2 AND out STREQUAL "" AND at GREATER -1 AND err MATCHES "^halocline: error: [^\n]*\n$")
    set(ok TRUE)
  endif()
  count(ok "halocline ${ARGN}" "wanted: ${fragment}\nexit code ${code}\n${out}${err}")
endmacro()

# Returns the lines of a text beyond 100 columns, concatenated; empty if there is none.
function(too_wide text result)
  string(REGEX REPLACE "[][;]" "." text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(wide "")
  foreach(line IN LISTS lines)
    string(LENGTH "${line}" columns)
    if(columns GREATER 100)
      string(APPEND wide "${columns} columns: ${line}\n")
    endif()
  endforeach()
  set(${result} "${wide}" PARENT_SCOPE)
endfunction()

macro(report_count)
  if(tried EQUAL 0)
    message(FATAL_ERROR "nothing was tried")
  endif()
  message(STATUS "${right} of ${tried} as expected")
endmacro()

# Returns the lines of an error output that this program wrote; launchers add their own.
function(own_error_lines text result)
  # A semicolon would split a line in two.
  string(REPLACE ";" "," text "${text}")
  string(REGEX MATCHALL "(^|\n)halocline: error: [^\n]*" lines "${text}")
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# Whether a text is exactly one indented JSON document (CMake's own parser accepts trailing text).
function(is_one_document text result)
  string(JSON type ERROR_VARIABLE problem TYPE "${text}")
  string(REGEX MATCH "\n[^ }]" beside "${text}")
  string(REGEX MATCH "\n}\n." behind "${text}")
  if(type STREQUAL "OBJECT" AND text MATCHES "^{\n" AND text MATCHES "\n}\n$" AND beside STREQUAL "" AND behind STREQUAL "")
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()
