// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/reduction_list.hpp"

#include <utility>
#include <vector>

#include "core/checked.hpp"
#include "device/cuda/device_tables.hpp"

namespace halocline::device::cuda {

CudaReductionList::CudaReductionList(std::shared_ptr<Devices> devices, int device,
                                     std::span<const StridedReduction> reductions)
    : devices_(std::move(devices)), device_(device) {
  const Device& on = devices_->at(device);
  const ReductionPlan plan = plan_reductions(reductions);
  if (plan.outputs.empty()) return;
  DeviceTables tables;
  const auto tasks = tables.add(plan.tasks);
  const auto outputs = tables.add(plan.outputs);
  const auto counters = tables.add(std::vector<std::uint32_t>(plan.outputs.size(), 0));
  const auto partials = tables.add(std::vector<double>(plan.partials));
  const CurrentDevice current(on.context());
  const CaptureAside aside;
  memory_ = tables.to_device(*devices_, device);
  const bool is_one = plan.outputs.size() == 1 && plan.tasks.size() == 1;
  table_ = {is_one ? plan.outputs.front() : ReductionOutput{},
            is_one ? plan.tasks.front() : ReductionTask{},
            tasks.in(memory_),
            outputs.in(memory_),
            counters.in(memory_),
            partials.in(memory_),
            checked_cast<std::uint32_t>(plan.outputs.size(), "the number of reductions of a list"),
            plan.blocks,
            is_one};
}

}  // namespace halocline::device::cuda
