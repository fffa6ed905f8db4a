# SPDX-License-Identifier: BSD-3-Clause
# The GPU architectures that the CUDA backend supports, and the default ones.

# The kernels' 16-byte accesses need architecture 7.0 or newer.
function(halocline_check_cuda_architectures architectures)
  foreach(architecture IN LISTS architectures)
    # "70", "90a", "80-real"; nvcc resolves "native" and "all".
    if(architecture MATCHES "^([0-9]+)[af]?(-real|-virtual)?$" AND CMAKE_MATCH_1 LESS 70)
      message(FATAL_ERROR "CMAKE_CUDA_ARCHITECTURES has ${architecture}; allowed are 70 (compute capability 7.0) and newer")
    endif()
  endforeach()
endfunction()

# The default architectures. Newer GPUs run PTX, which the driver compiles when a program first starts.
function(halocline_default_cuda_architectures compiler result)
  set(known "")
  execute_process(COMMAND ${compiler} --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET)
  set(architectures 80 90)
  if(known MATCHES "compute_100")
    list(APPEND architectures 100)
  endif()
  set(${result} "${architectures}" PARENT_SCOPE)
endfunction()
