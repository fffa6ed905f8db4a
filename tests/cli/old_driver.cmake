# SPDX-License-Identifier: BSD-3-Clause
# A driver that is too old, in the place of the machine's: where GPUs are asked for it is an error that names what is needed; where
# they are not, host devices are used with a warning, once a job.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)
set(ENV{LD_LIBRARY_PATH} ${OLD_DRIVER})
set(ENV{HALOCLINE_BACKEND} auto)
set(run exchange --size 16 --radius 1 --fields 1xf32)
set(old "the CUDA driver[^\n]* supports CUDA 11.0; needed is a driver for CUDA 1[0-9].0 or newer \\(this build has CUDA 1[0-9].[0-9]+\\)")

run_program(code out err ${run} --backend cuda)
set(ok FALSE)
if(NOT code EQUAL 0 AND err MATCHES "^halocline: error: ${old}\n$")
  set(ok TRUE)
endif()
count(ok "an old driver where GPUs are asked for" "exit code ${code}\n${out}${err}")

run_program(code out err ${run} --backend auto)
set(ok FALSE)
if(code EQUAL 0 AND err MATCHES "^[^\n]*warning[^\n]*${old}; host devices are used instead\n$")
  set(ok TRUE)
endif()
count(ok "an old driver where GPUs are not asked for" "exit code ${code}\n${out}${err}")

run_program(code out err ${run} --backend host)
set(ok FALSE)
if(code EQUAL 0 AND err STREQUAL "")
  set(ok TRUE)
endif()
count(ok "an old driver where host devices are asked for" "exit code ${code}\n${out}${err}")
report_count()
