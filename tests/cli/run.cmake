# SPDX-License-Identifier: BSD-3-Clause
# Commands with text output, in one process without a launcher: exit codes, output, the picture.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)

function(expect_output pattern words)
  separate_arguments(list UNIX_COMMAND "${words}")
  run_program(code out err ${list})
  if(code EQUAL 0 AND out MATCHES "${pattern}")
    set(ok TRUE)
  else()
    set(ok FALSE)
  endif()
  count(ok "halocline ${words}" "wanted: ${pattern}\nexit code ${code}\n${out}${err}")
  set(tried ${tried} PARENT_SCOPE)
  set(right ${right} PARENT_SCOPE)
  set(err "${err}" PARENT_SCOPE)
endfunction()

expect_output("^halocline [0-9.]+\n$" "--version")
expect_output("machine.*partition.*place.*route.*exchange.*explain.*run" "--help")
expect_output("HALOCLINE_RANKS_PER_NODE" "--help-environment")
expect_output("--residual-every" "run jacobi3d --help")
expect_output("4 ranks, 8 devices" "machine --nodes 2 --devices-per-node 4 --ranks-per-node 2")
expect_output("fabric: one switch" "machine --nodes 2")
expect_output("fabric: fat tree: 18 nodes a switch, all its uplinks 450[.0-9]* GB/s"
              "machine --machine ${SOURCE}/machines/summit.json")
expect_output("fabric: torus: [0-9]+ x [0-9]+ x [0-9]+ routers, 2 nodes a router"
              "machine --machine ${SOURCE}/machines/titan.json")
expect_output("fabric: 4 rails, each a dragonfly: .* links 25.0 GB/s"
              "machine --machine ${SOURCE}/machines/frontier.json")
expect_output("grid 4 x 12 x 1 = 2 x 6 x 1 . 2 x 2 x 1"
              "partition --size 4 24 2 --nodes 12 --devices-per-node 4 --partition bisection --radius 1")
# As many bytes as 'halocline explain' counts, by routes; between nodes those of the grid's row of candidates.
expect_output("one exchange moves 20.9 KB, 6.40 KB of it between nodes.* 5.22 KB +1.60 KB\n"
              "partition --size 20 --nodes 2 --devices-per-node 2")
expect_output("all +12 messages +20.9 KB" "explain --size 20 --nodes 2 --devices-per-node 2")
expect_output("placed by random" "place --nodes 1 --devices-per-node 6 --place random --seed 3")
expect_output("peer_copy.*100.0 %" "route --size 16 --devices 4 --transports peer_copy,self")
expect_output("machine .*partition .*placement .*routes .*traffic " "explain --size 16 --devices 4")
expect_output("steps per exchange 2: halos of 2 .*traffic .*a step, as one exchange serves 2: 8.0 messages, 12.3 KB"
              "explain --size 16 --nodes 4 --devices-per-node 1 --steps-per-exchange 2")
expect_output("radius 1 x 2 steps, .*an exchange serves 2 steps: 8.0 messages and 14.8 KB a step.*verify: passed"
              "exchange --size 16 --devices 4 --steps-per-exchange 2 --verify --repeat 5 --steady 5")
expect_output("tried, by steps per exchange: .*4: [0-9.]+ [a-z]+ a step.*check +passed"
              "run jacobi3d --size 16 --devices 2 --steps 9 --steps-per-exchange auto --check")
expect_output("back to back.*verify: passed" "exchange --size 16 --devices 4 --verify --repeat 5 --steady 5")

expect_output("left-right +2 .*threads.p2p +2 .*halocline +4 .*passed"
              "run laplace3d --size 9 8 16 --device-counts 1 2 4 --compare --check --steps 10 --rounds 2")
expect_output("threads +3 .*passed" "run laplace3d --size 9 8 36 --devices 3 --scheme threads --check --steps 10 \
--rounds 1 --stencil 19 --steps-per-exchange 2 --launch-threads")

# In sequence, everything that the demonstration shows.
file(REMOVE ${WORK}/slice.png)
expect_output("partition .*placement .*routes .*traffic .*steps .*rate .*compute .*exchange .*residual .*check +passed"
              "run jacobi3d --size 24 20 16 --steps 20 --devices 8 --check --residual-every 5")
set(lines "${err}")
if(lines MATCHES "^jacobi3d: .*100 %\\), [^\n]+ a second, [^\n]+ in all, residual [0-9.e-]+\n$" AND NOT lines MATCHES "\r")
  set(ok TRUE)
else()
  set(ok FALSE)
endif()
count(ok "progress in plain lines" "${lines}")

run_program(code out err run jacobi3d --size 24 20 16 --steps 5 --no-overlap --picture ${WORK}/slice.png)
if(err MATCHES "without libpng")
  set(ok TRUE)
elseif(code EQUAL 0 AND EXISTS ${WORK}/slice.png)
  file(READ ${WORK}/slice.png head LIMIT 8 HEX)
  string(COMPARE EQUAL "${head}" "89504e470d0a1a0a" ok)
else()
  set(ok FALSE)
endif()
count(ok "the picture" "exit code ${code} ${out}${err}")

expect_output("start +[0-9.]+ [a-z]+ .*ns a cell.*check +passed: at most 2 roundings .2 a step. .*within 2 ulp.*kinetic.*compute .*exchange .*model "
              "run mhd --size 16 --devices 4 --steps 1 --dt 1.19209e-7 --check --parts")
expect_output("check +passed: at most 8 roundings"
              "run mhd --size 16 --order 8 --devices 2 --initial orszag-tang --steps 4 --dt 0.01 --graph --check --corners")
expect_output("grid 2 x 2 x 2.*messages +208 by mpi_staged an exchange.*overlapped.*check +passed"
              "run mhd --size 16 --devices 8 --steps 1 --dt 1.19209e-7 --paper-scheme --transports mpi_staged --corners --check")
expect_output("overlapped.*check +passed"
              "run mhd --size 16 --devices 4 --steps 1 --dt 1.19209e-7 --paper-scheme --boundary as-ready --check")
expect_output("halos of x 0 y 9 z 9 .*steps, 3 an exchange.*check +passed.*model .*the longer of exchange and computation in one of 3 substeps"
              "run mhd --size 18 --devices 4 --steps 2 --dt 1e-5 --substeps-per-exchange 3 --check --parts")
# The fastest is the first.
expect_output("tried, by substeps per exchange:.*( 3: [0-9.]+ .* 6: [0-9.]+| 6: [0-9.]+ .* 3: [0-9.]+) .*check +passed"
              "run mhd --size 12 --order 2 --devices 4 --steps 3 --dt 1e-5 --substeps-per-exchange auto --check")
expect_output("verify: passed" "exchange --size 16 --devices 8 --messages by-direction --transports mpi_staged --verify --repeat 5 --steady 5")
expect_output("verify: passed" "exchange --size 16 --devices 8 --messages by-rank --transports mpi_staged --verify --repeat 5 --steady 5")
expect_output("verify: passed" "exchange --size 16 --devices 8 --messages by-node --transports mpi_staged --verify --repeat 5 --steady 5")
expect_output("parts, f64.* 4 +1x2x2 +2 +- .* 4 +1x2x2 +2 +sent .*power: none: host devices have no meter"
              "run mhd --study parts --size 8 --order 2 --devices 4 --steps 2 --warm-up 1 --csv ${WORK}/parts.csv")
file(STRINGS ${WORK}/parts.csv lines)
list(LENGTH lines found)
list(GET lines 0 head)
list(GET lines -1 last)
string(REGEX MATCHALL "," of_head "${head}")
string(REGEX MATCHALL "," of_last "${last}")
if(found EQUAL 7 AND of_head STREQUAL of_last AND last MATCHES "^parts,1,devices,8,8,8,4,1,host,1x2x2,2,f64,1,[01],1,2,0[.]")
  set(ok TRUE)
else()
  set(ok FALSE)
endif()
count(ok "the lines of parts.csv" "${found} lines, the last of them: ${last}")
expect_output("host +1x1x1 +2 .*host: this program's own code" "run mhd --study backends --size 8 --order 2 --steps 2")
expect_output("steps +6 to time" "run mhd --size 16 --precision f32 --initial forced --steps 4 --warm-up 2 --no-overlap")

expect_output("await halos within kernels.*check +passed" "run jacobi3d --size 24 20 16 --steps 12 --devices 4 --await-halos --check")
expect_output("converged" "run jacobi3d --size 16 --steps 5000 --tolerance 1e-3 --devices 2")
# Files do not change after which steps residuals are taken.
foreach(files IN ITEMS "" "--output ${WORK}/seven --output-every 7" "--output ${WORK}/one --output-every 1")
  expect_output("steps +30, converged" "run jacobi3d --size 24 --steps 1000 --tolerance 2e-3 ${files}")
endforeach()

expect_output("rack 0: nodes 0, 1, 2, 3, 4, 5, 6, 7 and 10 more.*rack 1: nodes 18, 19, " "machine --machine ${SOURCE}/machines/gb200-nvl72.json")

# The decisions of a command on standard error, also in one process.
set(ENV{HALOCLINE_LOG} info)
run_program(code out err exchange --size 8 --repeat 1 --steady 0)
unset(ENV{HALOCLINE_LOG})
set(ok FALSE)
if(code EQUAL 0 AND err MATCHES "^halocline: info: halocline [0-9.]+: 1 rank[^\n]*\nhalocline: info: machine "
   AND err MATCHES "\nhalocline: info: partition +8 x 8 x 8 cells by exact" AND err MATCHES "\nhalocline: info: placement ")
  set(ok TRUE)
endif()
count(ok "HALOCLINE_LOG=info" "exit code ${code}\n${err}")

run_program(code out err machine --machine ${WORK}/no_such_file.json)
own_error_lines("${err}" lines)
list(LENGTH lines number)
if(code EQUAL 2 AND number EQUAL 1 AND err MATCHES "no_such_file.json" AND NOT err MATCHES "rank 0")
  set(ok TRUE)
else()
  set(ok FALSE)
endif()
count(ok "a file that is not there" "exit code ${code} ${err}")
report_count()
