// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "device/cuda/board.hpp"
#include "device/cuda/copy_table.hpp"
#include "device/cuda/fused_table.hpp"
#include "device/cuda/reduction_plan.hpp"
#include "device/cuda/sum_table.hpp"
#include "device/cuda/tiling.hpp"

// Each launch function enqueues one kernel on a stream of the current device.
namespace halocline::device::cuda {

/// One thread waits for each flag: until the flag has arrived, its deadline has passed, or the wait is aborted or the
/// device stopped.
[[nodiscard]] cudaError_t launch_wait(cudaStream_t stream, const std::uint64_t* epoch, const WaitBatch& waits);
/// If `advance`, first increments *epoch. Then one thread signals each flag.
[[nodiscard]] cudaError_t launch_signal(cudaStream_t stream, std::uint64_t* epoch, bool advance,
                                        const SignalBatch& signals);
[[nodiscard]] cudaError_t launch_check(cudaStream_t stream, const CheckBatch& checks);
/// Stops the device, and the devices that it can access, if a failure record was published. For use after work that may
/// have failed elsewhere.
[[nodiscard]] cudaError_t launch_follow(cudaStream_t stream, Board* board, const FailureRecords* records);

/// One copy, whose description is passed as kernel arguments.
[[nodiscard]] cudaError_t launch_copy(cudaStream_t stream, const Board* board, const CopyTask& task,
                                      const Tiling& tiling, unsigned blocks);
/// All copies of a table that lies in device memory, and its headers.
[[nodiscard]] cudaError_t launch_copies(cudaStream_t stream, Board* board, const CopyTable& table, unsigned blocks);

/// All sums of a table that lies in device memory.
[[nodiscard]] cudaError_t launch_sums(cudaStream_t stream, const Board* board, const SumTable& table, unsigned blocks);

/// All reductions of a table that lies in device memory.
[[nodiscard]] cudaError_t launch_reductions(cudaStream_t stream, const Board* board, const ReductionTable& table);

/// A fused exchange: one block that coordinates, and `workers` blocks that have shares. All must be resident on the
/// device at the same time. early: the kernel may be launched, and wait, before the preceding kernel has ended.
[[nodiscard]] cudaError_t launch_fused(cudaStream_t stream, const FusedTable& table, unsigned workers, bool early);

/// Loads all of them on the current device. Loading waits for the device, which must not happen when one of them
/// waits for what has still to be launched.
[[nodiscard]] cudaError_t load_flag_kernels();
[[nodiscard]] cudaError_t load_copy_kernels();
[[nodiscard]] cudaError_t load_sum_kernels();
[[nodiscard]] cudaError_t load_reduction_kernel();
[[nodiscard]] cudaError_t load_fused_kernel();

/// Whether launch_fused()'s kernel, as it is loaded on the current device, waits itself for the end of the preceding
/// kernel. That depends on the PTX version it was compiled from, not on the GPU: a build for 8.0 alone also runs on
/// newer GPUs.
[[nodiscard]] cudaError_t fused_kernel_may_start_early(bool* may);

/// How many blocks of a copy kernel, or of launch_fused()'s, can be resident on a multiprocessor of the current device.
[[nodiscard]] cudaError_t copy_blocks_at_once(int* blocks);
[[nodiscard]] cudaError_t fused_blocks_at_once(int* blocks);

}  // namespace halocline::device::cuda
