# SPDX-License-Identifier: BSD-3-Clause
# The bill of materials of a build, share/doc/halocline/halocline.cdx.json: CycloneDX 1.6, without times and serial numbers, so that
# equal builds have equal bills. It lists what the installed files contain or are linked to; tests/install/bill.py compares it with them.
set(bill "")

# halocline_bill(<name> <version> <licence of SPDX, or a name> <how> [<libraries, by the beginning of their names>...])
macro(halocline_bill name version licence how)
  set(libraries "${ARGN}")
  list(JOIN libraries " " libraries)
  set(entry "{\"type\": \"library\", \"name\": \"${name}\"")
  if(NOT "${version}" STREQUAL "")
    string(APPEND entry ", \"version\": \"${version}\"")
  endif()
  if("${licence}" MATCHES " ")
    string(APPEND entry ", \"licenses\": [{\"license\": {\"name\": \"${licence}\"}}]")
  else()
    string(APPEND entry ", \"licenses\": [{\"license\": {\"id\": \"${licence}\"}}]")
  endif()
  string(APPEND entry ", \"properties\": [{\"name\": \"halocline:how\", \"value\": \"${how}\"}")
  if(libraries)
    string(APPEND entry ", {\"name\": \"halocline:libraries\", \"value\": \"${libraries}\"}")
  endif()
  list(APPEND bill "    ${entry}]}")
endmacro()

halocline_bill(fmt "${fmt_VERSION}" MIT linked libfmt)
halocline_bill(nlohmann_json "${nlohmann_json_VERSION}" MIT headers)
if(HALOCLINE_BUILD_APPS)
  halocline_bill(CLI11 "${CLI11_VERSION}" BSD-3-Clause headers)
  if(HALOCLINE_HAVE_PNG)
    halocline_bill(libpng "${PNG_VERSION_STRING}" libpng-2.0 linked libpng)
  endif()
endif()
if(HALOCLINE_HAVE_MPI)
  # The version is of the interface: which library it is, the linker decides when a program starts.
  halocline_bill(MPI "${MPI_CXX_VERSION}" "that of the MPI library" linked libmpi libmpich libopen-rte libopen-pal)
endif()
if(HALOCLINE_HAVE_HWLOC)
  halocline_bill(hwloc "${HWLOC_VERSION}" BSD-3-Clause linked libhwloc)
endif()
if(HALOCLINE_HAVE_SCOTCH)
  halocline_bill(Scotch "${scotch_version}" CECILL-C linked libscotch)
endif()
if(HALOCLINE_HAVE_UCX)
  halocline_bill(UCX "${ucx_version}" BSD-3-Clause headers)
endif()
if(HALOCLINE_HAVE_NCCL)
  halocline_bill(NCCL "${nccl_version}" BSD-3-Clause headers)
endif()
if(HALOCLINE_HAVE_XXHASH)
  halocline_bill(xxHash "${xxhash_version}" BSD-2-Clause headers)
endif()
if(HALOCLINE_HAVE_CUDA)
  halocline_bill("CUDA runtime" "${CUDAToolkit_VERSION}" "CUDA Toolkit End User License Agreement" "archive")
endif()
if(HALOCLINE_HAVE_PYTHON)
  halocline_bill(nanobind "${nanobind_VERSION}" BSD-3-Clause "sources")
  if(HALOCLINE_HAVE_JAX)
    halocline_bill(jaxlib "" Apache-2.0 headers)
  endif()
endif()

list(JOIN bill ",\n" bill)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/halocline.cdx.json @ONLY CONTENT [[{
  "bomFormat": "CycloneDX",
  "specVersion": "1.6",
  "version": 1,
  "metadata": {"component": {"type": "library", "name": "halocline", "version": "@PROJECT_VERSION@", "licenses": [{"license": {"id": "BSD-3-Clause"}}]}},
  "components": [
@bill@
  ]
}
]])
