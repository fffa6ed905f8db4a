# SPDX-License-Identifier: BSD-3-Clause
# Output that cannot be written, and how the command then ends: standard output, and files named by options.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/map_machine.cmake)
fresh_folder(outputs)
write_machine(${folder}/two.json "n0;n1" "")
file(WRITE ${folder}/pairs.csv "from,to,bytes\n0,2,1000\n1,3,1000\n")

# expect_shell(<what> <exit code> <pattern of standard error> <script>), where $H is the command and $folder a new
# folder
function(expect_shell what wanted pattern script)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env H=${PROGRAM} folder=${folder} MPIRUN=${MPIRUN} bash -c "${script}"
                  WORKING_DIRECTORY ${folder} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 120)
  set(ok FALSE)
  if(code STREQUAL wanted AND err MATCHES "${pattern}")
    set(ok TRUE)
  endif()
  count(ok "${what}" "wanted: ${wanted}, ${pattern}\nexit code ${code}\n${out}${err}")
  set(tried ${tried} PARENT_SCOPE)
  set(right ${right} PARENT_SCOPE)
endfunction()

# Standard output on a full disk, with short and with long outputs; then closed.
set(full "^halocline: error: standard output cannot be written: No space left on device\n$")
set(closed "^halocline: error: standard output cannot be written: Bad file descriptor\n$")
foreach(words "--help" "--version" "--help-environment" "exchange --help" "profile --help" "machine" "machine --json"
              "partition --nodes 2" "partition --nodes 2 --json" "explain --nodes 2" "route --nodes 64 --json"
              "simulate --machine summit --study ladder --csv" "map --machine two.json --cpu pairs.csv"
              "exchange --json --size 8 --repeat 1 --steady 0" "run jacobi3d --size 8 --steps 1 --progress off")
  expect_shell("halocline ${words} > /dev/full" 1 "${full}" "$H ${words} > /dev/full")
  expect_shell("halocline ${words} >&-" 1 "${closed}" "$H ${words} >&-")
endforeach()
# Standard error as well: the exit code is left.
foreach(words "--version" "machine --json" "partition --nodes 2")
  expect_shell("halocline ${words} > /dev/full 2>&1" 1 "^$" "$H ${words} > /dev/full 2>&1")
endforeach()
# A reader that closes the pipe is no error, and the command ends silently, whether SIGPIPE is ignored or not.
foreach(trap "" "trap '' PIPE;")
  expect_shell("${trap} route | true" 0 "^$" "${trap} $H route --nodes 64 --json | true; exit \${PIPESTATUS[0]}")
  expect_shell("${trap} explain | head" 0 "^$" "${trap} $H explain --nodes 64 --size 64 | head -n 1 > /dev/null; exit \${PIPESTATUS[0]}")
  expect_shell("${trap} profile --help | true" 0 "^$" "${trap} $H profile --help | true; exit \${PIPESTATUS[0]}")
endforeach()
expect_shell("nothing is lost" 0 "^$" "test $($H route --nodes 64 --json | tail -n 1) = }")

# Files are replaced as a whole, or not at all.
set(plain_writers "plot two.json -o" "route --nodes 64 --communication" "map --machine two.json --cpu pairs.csv --format json --output")
set(writers ${plain_writers}
    "run jacobi3d --size 8 --steps 1 --progress off --picture"
    "run laplace3d --size 8 --steps 1 --rounds 1 --csv"
    "run mhd --study parts --size 8 --order 2 --steps 1 --warm-up 0 --progress off --csv")
# A limit of file sizes acts like a full disk; it also limits the memory of host devices, so that commands with devices
# are left out.
foreach(words IN LISTS plain_writers)
  expect_shell("${words}: on a full disk the old file stays" 1 "^halocline: error: --[^\n]* cannot be written: File too large\n$"
               "echo old > kept; ls -A > before; (ulimit -f 0; $H ${words} kept > /dev/null); code=$?
                test $(cat kept) = old && ls -A | diff before - && exit $code; exit 99")
endforeach()
foreach(words IN LISTS writers)
  expect_shell("${words}: a file is written" 0 "" "rm -f new; $H ${words} new > printed && test -s new && test -f new")
  expect_shell("${words}: a link is not followed" 2 "^halocline: error: --[^\n]* is 'link'; allowed is [^\n]* symbolic link, which"
               "echo old > victim; ln -sf victim link; $H ${words} link > printed; code=$?
                test $(cat victim) = old && test -L link && test ! -s printed && exit $code; exit 99")
  expect_shell("${words}: no folder, found out before the work" 2
               "^halocline: error: --[^\n]* is '/nowhere/x'; allowed is [^\n]*No such file or directory\n$"
               "$H ${words} /nowhere/x > printed; code=$?; test ! -s printed && exit $code; exit 99")
  expect_shell("${words}: a device stays one" 0 ""
               "ln -sf /dev/null device; $H ${words} device > printed && test -L device && test -c /dev/null")
endforeach()
expect_shell("nothing is left of a picture that is not made" 2 "" "$H run jacobi3d --size 1 --devices 8 --picture none.png; code=$?; test ! -e none.png && exit $code; exit 99")

# A picture whose path is its own map's, under another name.
expect_shell("plot over its map" 2 "--output is './two.json'; allowed is another file than the map" "$H plot two.json -o ./two.json")
expect_shell("plot over its map" 2 "--output is 'hard.json'; allowed is another file than the map"
             "ln two.json hard.json; $H plot two.json -o hard.json")
expect_shell("plot of a machine that comes with Halocline" 0 "^$" "$H plot summit | grep -q '^summit.svg: Summit' && test -s summit.svg")
# A name that is not UTF-8 is used for the file; the document has U+FFFD.
expect_shell("a name that is no UTF-8" 0 "^$" "cp two.json $'s\\xff.json'; $H plot $'s\\xff.json' --json | grep -q $'\"picture\": \"s\\xef\\xbf\\xbd.svg\"' && test -s $'s\\xff.svg'")

# Files of map for launchers: links are not followed, and the wrapper is executable.
expect_shell("map: a link in the folder" 2 "wrapper.sh'; allowed is .* symbolic link"
             "mkdir o; echo old > v; ln -s ../v o/wrapper.sh; $H map --machine two.json --cpu pairs.csv --format slurm --output o; code=$?
              test $(cat v) = old && test ! -x v && exit $code; exit 99")
expect_shell("map: the wrapper can be executed" 0 "^$"
             "umask 022; $H map --machine two.json --cpu pairs.csv --format slurm --output made > printed; test $(stat -c %a made/wrapper.sh) = 755 && test $(stat -c %a made/hostfile) = 644")
report_count()
