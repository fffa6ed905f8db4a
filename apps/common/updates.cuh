// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "common/cut.cuh"
#include "common/devices.cuh"
#include "device/backend.hpp"
#include "halocline/error.hpp"

// Launches of kernels that update boxes by march_block(). Errors are InvalidArgument, in the program's name.
namespace apps::cuda {

/// The boxes that are not empty. Throws where they are more than a launch takes.
inline std::vector<halocline::Box> present_boxes(const char* program, std::span<const halocline::Box> boxes,
                                                 std::size_t most) {
  std::vector<halocline::Box> present;
  std::copy_if(boxes.begin(), boxes.end(), std::back_inserter(present), [](const auto& box) { return !box.empty(); });
  if (present.size() > most) {
    throw halocline::InvalidArgument(std::string(program) + ": an update has " + std::to_string(present.size()) +
                                     " boxes; allowed are up to " + std::to_string(most));
  }
  return present;
}

/// How a kernel is launched: the number of cells in a group, and the grid.
struct Launch {
  int group = 1;
  Grid grid;
};

/// Sets what an update reads and writes, and cuts its boxes, none of them empty; around as in set_arrays(). Groups are of 16
/// bytes where all rows begin at multiples of that, otherwise of one cell.
template <typename T, typename Work>
Launch prepare(const char* program, Work& work, std::span<const halocline::Box> boxes,
               const halocline::View<const T>& source, const halocline::View<T>& target, int around, const Shape& shape,
               int multiprocessors) {
  Launch launch;
  if (in_groups(source) && in_groups(target)) launch.group = static_cast<int>(16 / sizeof(T));
  set_arrays(work, source, target, around);
  launch.grid = cut(program, work, boxes, launch.group, shape, multiprocessors);
  return launch;
}

/// When a kernel may become resident.
enum class Start : int {
  in_turn,  ///< when the work before it in its stream has ended
  early,    ///< when the kernel before it lets it (programmatic dependent launch): it waits for that one's end itself
};

/// Enqueues an update; the stream's device must be one of those given.
template <typename Work>
void enqueue_update(const Devices& devices, halocline::device::Stream& stream, void (*kernel)(Work), const Grid& grid,
                    const Work& work, Start start = Start::in_turn) {
  stream.enqueue([work, kernel, grid, start, ordinal = devices.ordinal(stream)](halocline::device::Stream& at) {
    const OnDevice on(ordinal);
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = grid.blocks;
    config.blockDim = dim3(grid.threads);
    config.stream = native(at);
    config.attrs = &early;
    config.numAttrs = start == Start::early ? 1 : 0;
    check(cudaLaunchKernelEx(&config, kernel, work), "launching an update");
  });
}

}  // namespace apps::cuda
