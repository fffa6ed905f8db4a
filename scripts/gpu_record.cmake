# SPDX-License-Identifier: BSD-3-Clause
# The record of the last GPU tests and of the sources that they ran on. CI has no GPU, so this shows how old the results
# are.
#   cmake -DMODE=write -DCOMMIT=<id> -DDATE=<date> -DGPUS=<names> -DCOUNTS="passed failed skipped" [-DSKIPPED=<file>]
#         -DRECORD=<file> -P scripts/gpu_record.cmake      writes a record of the sources at hand; SKIPPED: a name a line
#   cmake -DMODE=changes -P scripts/gpu_record.cmake       prints what has changed since the record
#   cmake -DMODE=check -P scripts/gpu_record.cmake         fails unless the record is of the sources at hand and all passed
# RECORD is bench/results/gpu_record.json where it is not given; ROOT is the checkout.
cmake_minimum_required(VERSION 3.22)
if(NOT ROOT)
  get_filename_component(ROOT "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
endif()
if(NOT RECORD)
  set(RECORD "${ROOT}/bench/results/gpu_record.json")
endif()

# The sources that determine what GPUs do in an exchange.
set(folders src/device src/exchange)

# Sets files_now to the paths, and digest_<path> to the hash of each.
macro(read_sources)
  set(files_now "")
  foreach(folder IN LISTS folders)
    file(GLOB_RECURSE found RELATIVE "${ROOT}" "${ROOT}/${folder}/*")
    list(APPEND files_now ${found})
  endforeach()
  list(SORT files_now)
  if(NOT files_now)
    message(FATAL_ERROR "${ROOT} has no sources in ${folders}")
  endif()
  foreach(file IN LISTS files_now)
    file(SHA256 "${ROOT}/${file}" hash)
    string(SUBSTRING "${hash}" 0 16 digest_${file})
  endforeach()
endmacro()

# Sets record to the text of the record, and changed to the files that were added, removed or changed since.
macro(compare_with_record)
  file(READ "${RECORD}" record)
  read_sources()
  set(changed "")
  set(known "")
  string(JSON count LENGTH "${record}" files)
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON file MEMBER "${record}" files ${i})
    string(JSON digest GET "${record}" files "${file}")
    list(APPEND known "${file}")
    if(NOT "${digest_${file}}" STREQUAL "${digest}")
      list(APPEND changed "${file}")
    endif()
  endforeach()
  foreach(file IN LISTS files_now)
    if(NOT file IN_LIST known)
      list(APPEND changed "${file}")
    endif()
  endforeach()
  list(LENGTH changed changed_count)
  foreach(key commit date gpus)
    string(JSON ${key} GET "${record}" ${key})
  endforeach()
  foreach(key passed failed skipped)
    string(JSON ${key} GET "${record}" cases ${key})
  endforeach()
endmacro()

function(say text)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${text}")
endfunction()

# Escapes a JSON string.
function(quoted text result)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  set(${result} "\"${text}\"" PARENT_SCOPE)
endfunction()

if(MODE STREQUAL "write")
  if(NOT COUNTS MATCHES "^([0-9]+) ([0-9]+) ([0-9]+)")
    message(FATAL_ERROR "COUNTS is '${COUNTS}'; allowed is three numbers: passed, failed, skipped")
  endif()
  set(counts "\"passed\": ${CMAKE_MATCH_1}, \"failed\": ${CMAKE_MATCH_2}, \"skipped\": ${CMAKE_MATCH_3}")
  read_sources()
  set(all "")
  set(lines "")
  foreach(file IN LISTS files_now)
    string(APPEND all "${file} ${digest_${file}}\n")
    list(APPEND lines "    \"${file}\": \"${digest_${file}}\"")
  endforeach()
  list(JOIN lines ",\n" lines)
  string(SHA256 digest "${all}")
  set(names "")
  if(SKIPPED AND EXISTS "${SKIPPED}")
    file(STRINGS "${SKIPPED}" skipped)
    foreach(name IN LISTS skipped)
      quoted("${name}" name)
      list(APPEND names "    ${name}")
    endforeach()
  endif()
  list(JOIN names ",\n" names)
  foreach(key COMMIT DATE GPUS)
    quoted("${${key}}" ${key})
  endforeach()
  file(WRITE "${RECORD}" "{
  \"commit\": ${COMMIT},
  \"date\": ${DATE},
  \"gpus\": ${GPUS},
  \"cases\": {${counts}},
  \"skipped_cases\": [
${names}
  ],
  \"digest\": \"${digest}\",
  \"files\": {
${lines}
  }
}
")
elseif(MODE STREQUAL "changes")
  if(NOT EXISTS "${RECORD}")
    say("there is no GPU record (bench/gpu_check.sh writes one)")
    return()
  endif()
  compare_with_record()
  say("the last GPU record is of commit ${commit}, ${date}, ${gpus}: ${passed} passed, ${failed} failed, ${skipped} skipped; ${changed_count} files of device and exchange sources changed since")
  foreach(file IN LISTS changed)
    say("  ${file}")
  endforeach()
elseif(MODE STREQUAL "check")
  if(NOT EXISTS "${RECORD}")
    message(FATAL_ERROR "there is no GPU record at ${RECORD}; run bench/gpu_check.sh on GPUs and commit its gpu_record.json")
  endif()
  compare_with_record()
  if(changed_count GREATER 0)
    list(JOIN changed " " changed)
    message(FATAL_ERROR "the GPU record is of commit ${commit}, and ${changed_count} files of device and exchange sources changed since: ${changed}")
  endif()
  if(failed GREATER 0 OR passed EQUAL 0)
    message(FATAL_ERROR "the GPU record of commit ${commit} has ${passed} cases passed and ${failed} failed; allowed are some passed and none failed")
  endif()
  say("the GPU record of commit ${commit} is of these sources: ${passed} passed, ${skipped} skipped")
else()
  message(FATAL_ERROR "MODE is '${MODE}'; allowed are write, changes and check")
endif()
