# SPDX-License-Identifier: BSD-3-Clause
# The dependencies of the library that is preloaded into other programs: only the C, C++ and MPI libraries.
#   cmake -D LIBRARY=... -D READELF=... -D NM=... -P needs.cmake
include(${CMAKE_CURRENT_LIST_DIR}/../cli/expect.cmake)

include(${CMAKE_CURRENT_LIST_DIR}/../support/look.cmake)

look(${READELF} -d ${LIBRARY})
string(REGEX MATCHALL "\\(NEEDED\\)[^\n]*\\[[^\n]*\\]" needed "${output}")
list(TRANSFORM needed REPLACE ".*\\[(.*)\\]" "\\1")
set(others "${needed}")
list(FILTER others EXCLUDE REGEX "^(lib(c|m|dl|pthread|rt|gcc_s|stdc\\+\\+|c\\+\\+|c\\+\\+abi|unwind|mpi[a-z0-9_]*)|ld-linux[^.]*|ld64)\\.so")
set(ok FALSE)
if(needed AND NOT others)
  set(ok TRUE)
endif()
count(ok "libraries" "needed: ${needed}\nnot allowed: ${others}")

look(${NM} -D -C --undefined-only ${LIBRARY})
string(REGEX MATCHALL "[^\n]*(halocline::|hwloc|fmt::| cuda[A-Z]| cu[A-Z]| nvml[A-Z])[^\n]*" others "${output}")
set(ok FALSE)
if(output MATCHES "PMPI_Init" AND NOT others)
  set(ok TRUE)
endif()
count(ok "symbols" "not allowed: ${others}")

look(${NM} -D -C --defined-only ${LIBRARY})
string(REGEX MATCHALL "[^\n]*(halocline::|fmt::|hwloc)[^\n]*" others "${output}")
set(ok FALSE)
if(output MATCHES " MPI_Send" AND NOT others)
  set(ok TRUE)
endif()
count(ok "symbols that the program sees" "not allowed: ${others}")

report_count()
