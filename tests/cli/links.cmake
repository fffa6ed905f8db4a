# SPDX-License-Identifier: BSD-3-Clause
# 'bench links': sizes from 4 bytes on, a file that goes on, its time limit, its picture.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)
set(folder ${WORK}/links)
file(REMOVE_RECURSE ${folder})
file(MAKE_DIRECTORY ${folder})
set(file ${folder}/links.csv)
set(links bench links --backend host --devices 2 --csv ${file})

run_program(code out err ${links} --sizes 4 65536)
file(READ ${file} first)
set(ok FALSE)
if(code EQUAL 0 AND first MATCHES "^node,backend,ranks,devices,size,bytes,method,traffic,from,to,numa,seconds,gb_per_s\n"
   AND first MATCHES "\",host,1,2,4,4,copy,one_way,0,1,-1," AND first MATCHES ",65536,65536,put,two_way,1,0,"
   AND first MATCHES ",65536,65536,pinned,one_way,host,0," AND first MATCHES ",4,4,pinned,one_way,0,host,"
   AND NOT first MATCHES ",4,4,put," AND out MATCHES "not measured: put: kernels move words of 8 bytes"
   AND out MATCHES "not measured: managed_prefetch: all memory of the host backend is of one kind")
  set(ok TRUE)
endif()
count(ok "bench links" "exit code ${code}\n${first}${out}${err}")

# Goes on: what is there stays to the byte, and is not measured again.
run_program(code out err ${links} --sizes 4 4096 65536 --resume)
file(READ ${file} second)
string(LENGTH "${first}" length)
string(SUBSTRING "${second}" 0 ${length} kept)
string(SUBSTRING "${second}" ${length} -1 more)
set(ok FALSE)
if(code EQUAL 0 AND kept STREQUAL first AND more MATCHES ",4096,4096,get,one_way,0,1," AND NOT more MATCHES ",1,2,4,4,"
   AND NOT more MATCHES ",65536,65536,")
  set(ok TRUE)
endif()
count(ok "bench links --resume" "exit code ${code}\n${more}${err}")

# A size without time is not in the file.
run_program(code out err ${links} --sizes 4 8192 --seconds 1e-9 --resume)
file(READ ${file} third)
set(ok FALSE)
if(code EQUAL 0 AND third STREQUAL second AND out MATCHES "no time for 1 size; --resume with --csv goes on")
  set(ok TRUE)
endif()
count(ok "bench links --seconds" "exit code ${code}\n${out}${err}")

expect_refusal("the rows to go on with are of" bench links --backend host --devices 3 --sizes 8 --csv ${file} --resume)
expect_refusal("--resume requires --csv" bench links --resume)
expect_refusal("--sizes is '6'; allowed is a multiple of 4" bench links --sizes 6)
file(WRITE ${folder}/other.csv "a,b\n1,2\n")
expect_refusal("does not begin with the columns of 'bench links'" bench links --backend host --sizes 8 --csv ${folder}/other.csv --resume)

run_program(code out err plot ${file} --output ${folder}/links.svg)
set(svg "")
if(EXISTS ${folder}/links.svg)
  file(READ ${folder}/links.svg svg)
endif()
set(ok FALSE)
if(code EQUAL 0 AND svg MATCHES "between devices: one way" AND svg MATCHES "with the host: one way" AND svg MATCHES "pinned, to the device")
  set(ok TRUE)
endif()
count(ok "plot of links" "exit code ${code}\n${out}${err}")
report_count()
