# SPDX-License-Identifier: BSD-3-Clause
# Too large bytes or numbers: one line with what is allowed, within 2 s of CPU time and 1 GiB.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)
set(LAUNCH sh -c "ulimit -t 2 && ulimit -v 1048576 && exec \"$@\"" sh)
set(folder ${WORK}/limits)
file(MAKE_DIRECTORY ${folder})

# Fewer than 2^63 cells, but 2^63 bytes or more, or almost.
set(flat --size 16 536870910 536870910)
set(long --size 4611686018427387904 1 1)
set(memory "bytes; allowed is at most 100000000000000000")
set(quick --backend host --repeat 1 --warm-up 0 --steady 0)
foreach(fields 1xc128 1xf64 1xf32 1xi8 3xf32,1xi16)
  expect_refusal("${memory}" exchange ${quick} ${flat} --fields ${fields})
endforeach()
expect_refusal("${memory}" exchange ${quick} ${long})
expect_refusal("${memory}" exchange ${quick} --size 2097151 --devices 4)
expect_refusal("${memory}" exchange ${quick} ${flat} --steps-per-exchange 4)
expect_refusal("${memory}" run jacobi3d --backend host ${flat} --steps 1)
expect_refusal("${memory}" run jacobi3d --backend host ${flat} --steps 1 --precision f64)
expect_refusal("${memory}" run laplace3d --backend host ${flat} --steps 1 --rounds 1)
expect_refusal("${memory}" run mhd --backend host ${flat} --steps 1)
expect_refusal("${memory}" partition --nodes 2 ${flat} --fields 1xc128)
expect_refusal("${memory}" partition --nodes 2 ${flat} --fields 1xc128 --explain)
foreach(command place route explain simulate)
  expect_refusal("${memory}" ${command} --nodes 2 ${flat} --fields 1xf64)
endforeach()
# Only the halos are too large.
expect_refusal("${memory}" partition --nodes 1 --size 8 --open x,y,z --radius 1000000)
expect_refusal("allowed are fewer than 2^127 halo cells" partition --nodes 1 --size 8 --open x,y,z
               --radius 4611686018427387904)
expect_refusal("allowed, even for one device, are extents of at least 4611686018427387904" partition --nodes 4 --size 8 --radius 4611686018427387904)
expect_refusal("allowed for this grid are extents of at least 9223372036854775807" partition --nodes 4 --size 8
               --radius 4611686018427387904 --partition bisection)

# Machines.
foreach(command partition place route explain simulate)
  expect_refusal("--nodes is '1048576'; allowed is a whole number from 1 to 262144" ${command} --nodes 1048576
                 --devices-per-node 4096)
endforeach()
expect_refusal("--nodes is '1000003'; allowed is" partition --nodes 1000003 --size 2097151)
expect_refusal("--devices-per-node is '4096'; allowed is a whole number from 1 to 256" partition --devices-per-node 4096)
expect_refusal("nodes times devices_per_node is 67108864; allowed is 1 to 262144" place --nodes 262144
               --devices-per-node 256)
expect_refusal("--fields is '1025xf32'; allowed is a list such as" partition --fields 1025xf32)

# write_map(<file> <name of the node> <cores> <bandwidth> <fabric>)
function(write_map file name cores bandwidth fabric)
  file(WRITE ${folder}/${file} "{\"schema\": \"halocline-machine/1\", \"name\": \"large\",
  \"types\": [{\"name\": \"t\", \"vertices\": [{\"kind\": \"package\", \"name\": \"p\", \"cores\": ${cores}},
    {\"kind\": \"device\", \"name\": \"d\"}],
    \"links\": [{\"a\": 0, \"b\": 1, \"kind\": \"pcie\", \"bandwidth\": ${bandwidth}, \"latency\": 0}]}],
  \"nodes\": [{\"name\": \"${name}\", \"type\": 0, \"count\": 262144}],
  \"network\": {\"bandwidth\": 1e9, \"latency\": 0${fabric}}}\n")
endfunction()
string(REPEAT "x" 100000 long_name)
string(REPEAT "{\"children\": 2, \"bandwidth\": 1, \"latency\": 0}, " 9 levels)
write_map(name.json "${long_name}" 1 1e9 "")
write_map(cores.json n 2147483647 1e9 "")
write_map(many_cores.json n 1024 1e9 "")
write_map(rate.json n 1 9.2e18 "")
write_map(levels.json n 1 1e9 ", \"fabric\": {\"shape\": \"fat_tree\", \"levels\": [${levels} {\"children\": 2, \"bandwidth\": 1, \"latency\": 0}]}")
write_map(groups.json n 1 1e9 ", \"fabric\": {\"shape\": \"dragonfly\", \"nodes_per_router\": 1, \"routers_per_group\": 10000, \"groups\": 100000, \"local\": {\"bandwidth\": 1, \"latency\": 0}, \"global\": {\"bandwidth\": 1, \"latency\": 0}}")
file(WRITE ${folder}/pair.csv "from,to,bytes\n0,1,5\n")
foreach(command partition "map;--gpu;${folder}/pair.csv")
  expect_refusal("nodes[0].name is" ${command} --machine ${folder}/name.json)
  expect_refusal("types[0].vertices[0].cores is 2147483647; allowed is 0 to 2048" ${command} --machine ${folder}/cores.json)
  expect_refusal("nodes is 268435456 cores in all; allowed is at most 16777216" ${command} --machine ${folder}/many_cores.json)
  expect_refusal("types[0].links[0].bandwidth is 9.2e+18; allowed is a finite number above 0, at most 1e+18" ${command}
                 --machine ${folder}/rate.json)
  expect_refusal("network.fabric.levels is 10 entries; allowed is at most 8" ${command} --machine ${folder}/levels.json)
  expect_refusal("links in all; allowed is at most 4194304" ${command} --machine ${folder}/groups.json)
endforeach()

# A parser that compares each entry with all previous ones would take minutes.
string(REPEAT "{}," 1000000 entries)
file(WRITE ${folder}/entries.json "[${entries}{}]")
expect_refusal("the document is an array of 1000001; allowed is an object" partition --machine ${folder}/entries.json)
string(REPEAT " " 33554433 blanks)
file(WRITE ${folder}/blanks.json "${blanks}")
expect_refusal("is larger than 33554432 bytes; allowed is at most that" partition --machine ${folder}/blanks.json)
file(REMOVE ${folder}/entries.json ${folder}/blanks.json)

# Communication matrices.
function(write_matrix name)
  file(WRITE ${folder}/${name}.csv "${ARGN}")
endfunction()
write_matrix(rank "from,to,bytes\n0,2147483645,5\n")
write_matrix(many "from,to,bytes\n0,100000000,5\n")
write_matrix(comment "# ranks 1000000000\nfrom,to,bytes\n0,1,5\n")
write_matrix(number "from,to,bytes\n0,1,2305843009213693951\n")
string(REPEAT "2305843009213693951," 11 row)
string(REPEAT "${row}2305843009213693951\n" 12 table)
write_matrix(table "${table}")
string(REPEAT "90000000000000000," 11 row)
string(REPEAT "${row}90000000000000000\n" 12 table)
write_matrix(sum "${table}")
foreach(kind --cpu --gpu)
  set(map map --machine summit ${kind})
  expect_refusal("rank.csv, line 2: '2147483645'; allowed is a whole number from 0 to 999999" ${map} ${folder}/rank.csv)
  expect_refusal("many.csv, line 2: '100000000'; allowed is a whole number from 0 to 999999" ${map} ${folder}/many.csv)
  expect_refusal("comment.csv, line 1: '1000000000'; allowed is a whole number from 0 to 1000000" ${map} ${folder}/comment.csv)
  expect_refusal("number.csv, line 2: '2305843009213693951'; allowed is" ${map} ${folder}/number.csv)
  expect_refusal("table.csv, line 1: '2305843009213693951'; allowed is" ${map} ${folder}/table.csv)
  expect_refusal("sum.csv, line 1: the number of bytes is 90000000000000000, beside" ${map} ${folder}/sum.csv)
endforeach()
write_matrix(cut "# ranks 2\nfrom,to,cpu_bytes,cpu_messages,gpu_bytes,gpu_messages\n0,1,1,1,0,0\n")
expect_refusal("cut.csv is cut off: its last line is not '# end'" map --machine summit --profile ${folder}/cut.csv)
report_count()
