// SPDX-License-Identifier: BSD-3-Clause
// What nvcc has built in, for the parser of sites.py, which has no headers of clang for CUDA: declarations only, nothing is compiled with them.
#pragma once

#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#include <cstring>

#undef __launch_bounds__
#define __launch_bounds__(...)

__device__ unsigned long __cvta_generic_to_global(const void*);
__device__ void __nanosleep(unsigned);
__device__ void __threadfence();
__device__ void __threadfence_system();
__device__ void __syncthreads();
__device__ void __syncwarp(unsigned = ~0U);
__device__ int __syncthreads_and(int);
__device__ int __syncthreads_or(int);
__device__ int __any_sync(unsigned, int);
__device__ int __all_sync(unsigned, int);
__device__ unsigned __ballot_sync(unsigned, int);
__device__ unsigned __activemask();
__device__ int __ffs(int);
__device__ int __popc(unsigned);
template <typename T>
__device__ T __shfl_sync(unsigned, T, int, int = 32);
template <typename T>
__device__ T __shfl_down_sync(unsigned, T, unsigned, int = 32);
template <typename T>
__device__ T __ldcg(const T*);
template <typename T>
__device__ void __stcg(T*, T);
template <typename T>
__device__ T atomicAdd(T*, T);
