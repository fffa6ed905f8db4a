# SPDX-License-Identifier: BSD-3-Clause
# The CUDA compiler and runtime. Sets
#   HALOCLINE_HAVE_CUDA       whether .cu files are compiled; otherwise x_absent.cpp is compiled instead of x.cu
#   HALOCLINE_CUDA_LIBRARIES  private link libraries of programs with .cu files, or with C++ files that call the runtime
# The runtime is linked statically and loads the driver at the first call, so that programs start on machines without a
# driver.
include(HaloclineCudaArchitectures)

set(HALOCLINE_HAVE_CUDA OFF)
set(HALOCLINE_CUDA_LIBRARIES "")

function(halocline_find_nvcc)
  # Both compilers produce objects of one program, so nvcc must use the same host compiler.
  if(NOT CMAKE_CUDA_HOST_COMPILER AND NOT DEFINED ENV{CUDAHOSTCXX} AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}" CACHE FILEPATH "The C++ compiler that nvcc calls")
    set(ENV{CUDAHOSTCXX} "${CMAKE_CUDA_HOST_COMPILER}")
  endif()
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(HALOCLINE_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
    mark_as_advanced(HALOCLINE_NVCC)
    if(HALOCLINE_NVCC)
      set(ENV{CUDACXX} "${HALOCLINE_NVCC}")
    endif()
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(have_nvcc ON PARENT_SCOPE)
  endif()
endfunction()

# halocline_use_cuda(target a.cpp b.cpp): a library of the project has .cu files, and the named C++ files call the
# runtime. The flags of all other files are the same with and without CUDA, so that switching CUDA on recompiles
# nothing.
function(halocline_use_cuda target)
  if(HALOCLINE_HAVE_CUDA)
    target_link_libraries(${target} INTERFACE $<LINK_ONLY:${HALOCLINE_CUDA_LIBRARIES}>)
    list(TRANSFORM CUDAToolkit_INCLUDE_DIRS PREPEND "-isystem;" OUTPUT_VARIABLE folders)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${folders}")
  endif()
endfunction()

# Sanitizers check host code; nvcc does not accept their flags.
set(have_nvcc OFF)
if(NOT HALOCLINE_CUDA STREQUAL "OFF" AND NOT (HALOCLINE_CUDA STREQUAL "AUTO" AND HALOCLINE_SANITIZE))
  halocline_find_nvcc()
endif()
halocline_optional(HALOCLINE_CUDA have_nvcc have_nvcc "put nvcc on the PATH or set CMAKE_CUDA_COMPILER")
if(have_nvcc)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    halocline_default_cuda_architectures("${CMAKE_CUDA_COMPILER}" architectures)
    set(CMAKE_CUDA_ARCHITECTURES "${architectures}" CACHE STRING "GPUs to compile for: machine code and PTX of each")
  endif()
  halocline_check_cuda_architectures("${CMAKE_CUDA_ARCHITECTURES};$ENV{CUDAARCHS}")
  enable_language(CUDA)
  find_package(CUDAToolkit 12.5)
  halocline_optional(HALOCLINE_CUDA CUDAToolkit_FOUND HALOCLINE_HAVE_CUDA "install CUDA 12.5 or newer")
endif()
if(HALOCLINE_HAVE_CUDA)
  set(HALOCLINE_CUDA_LIBRARIES CUDA::cudart_static)
  list(JOIN CMAKE_CUDA_ARCHITECTURES " " architectures)
  halocline_note(CUDA yes "${CMAKE_CUDA_COMPILER_VERSION}, for sm ${architectures}")
else()
  halocline_note(CUDA no "")
endif()

# The header of NCCL, which is found at run time; bench/baselines links it.
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${NCCL_ROOT} ENV NCCL_ROOT ENV NCCL_HOME PATHS ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
mark_as_advanced(NCCL_INCLUDE_DIR)
set(have_nccl OFF)
set(nccl_version "")
if(HALOCLINE_HAVE_CUDA AND NCCL_INCLUDE_DIR)
  halocline_header_version(${NCCL_INCLUDE_DIR}/nccl.h "NCCL_(MAJOR|MINOR|PATCH)" nccl_version)
  # The first with memory that is registered with a communicator.
  if(nccl_version VERSION_GREATER_EQUAL 2.19)
    set(have_nccl ON)
  endif()
endif()
halocline_optional(HALOCLINE_NCCL have_nccl HALOCLINE_HAVE_NCCL "install libnccl-dev 2.19 or later, and CUDA")
halocline_note(NCCL ${HALOCLINE_HAVE_NCCL} "${nccl_version}")
