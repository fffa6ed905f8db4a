# SPDX-License-Identifier: BSD-3-Clause
# Shared by the scripts about `halocline map`.

# fresh_folder(<name>): an empty `folder`, and this machine's name as `host`
macro(fresh_folder name)
  set(folder ${WORK}/${name})
  file(REMOVE_RECURSE ${folder})
  file(MAKE_DIRECTORY ${folder})
  cmake_host_system_information(RESULT host QUERY HOSTNAME)
endmacro()

# write_machine(<path> <names> <more of each node>)
# Each node has 2 cores, the fewest that can be distinguished, and 2 GPUs.
function(write_machine path names uuids)
  set(nodes "")
  foreach(name IN LISTS names)
    list(APPEND nodes "{\"name\": \"${name}\", \"type\": 0${uuids}}")
  endforeach()
  list(JOIN nodes ", " nodes)
  file(WRITE ${path} "{\"schema\": \"halocline-machine/1\", \"name\": \"test\", \"sources\": [], \"types\": [{\"name\": \"t\",
    \"vertices\": [{\"kind\": \"package\", \"name\": \"p\", \"cores\": 2}, {\"kind\": \"device\", \"name\": \"d\"},
                   {\"kind\": \"device\", \"name\": \"d\"}],
    \"links\": [{\"a\": 0, \"b\": 1, \"kind\": \"pcie\", \"bandwidth\": 1e10, \"latency\": 1e-6},
                {\"a\": 0, \"b\": 2, \"kind\": \"pcie\", \"bandwidth\": 1e10, \"latency\": 1e-6}]}],
    \"nodes\": [${nodes}], \"network\": {\"bandwidth\": 1e10, \"latency\": 1e-6}}")
endfunction()

# Ranks 0 and 1 on the first node and 2 and 3 on the second; then 0 and 2, and 1 and 3.
function(write_patterns folder)
  file(WRITE ${folder}/blocks.csv "from,to,bytes\n0,1,1000\n2,3,1000\n")
  file(WRITE ${folder}/scattered.csv "from,to,bytes\n0,2,1000\n1,3,1000\n")
  file(WRITE ${folder}/pair.csv "from,to,bytes\n0,1,1000\n")
endfunction()

# expect_lines(<what> <lines, in any order> <output> <more to show where they are not there>)
macro(expect_lines what wanted output)
  set(ok TRUE)
  foreach(line ${wanted})
    if(NOT "\n${output}" MATCHES "\n${line}\n")
      set(ok FALSE)
    endif()
  endforeach()
  count(ok "${what}" "wanted ${wanted}\n${output}${ARGN}")
endmacro()
