// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/fused_exchange.hpp"

#include <memory>
#include <utility>

#include "device/host/stream.hpp"
#include "device/tracer.hpp"

namespace halocline::device::host {

HostFusedExchange::HostFusedExchange(Backend& backend, std::shared_ptr<Scheduler> scheduler, int device,
                                     const FusedPlan& plan, std::int64_t one_operation_below_bytes)
    : scheduler_(std::move(scheduler)), composed_(backend, device, plan), tracer_(plan.tracer) {
  if (composed_.bytes() >= one_operation_below_bytes) return;
  const std::unique_ptr<Stream> scratch = backend.create_stream(device);
  together_ = prepare(dynamic_cast<HostStream&>(*scratch));
}

std::vector<Item> HostFusedExchange::prepare(HostStream& scratch) const {
  std::vector<Item> all = scratch.prepare([&] { composed_.begin(scratch); });
  auto branches = std::make_shared<std::vector<std::vector<Item>>>();
  for (std::size_t part = 0; part < composed_.parts(); ++part) {
    branches->push_back(scratch.prepare([&] { composed_.enqueue_part(part, scratch); }));
  }
  if (!branches->empty()) all.push_back({Operation::copy_list, Branches{std::move(branches)}, {}});
  for (Item& item : scratch.prepare([&] { composed_.end(scratch); })) all.push_back(std::move(item));
  return all;
}

void HostFusedExchange::enqueue(HostStream& in) {
  composed_.check_device(in);
  if (together_.empty() || is_traced(tracer_, in)) return composed_.enqueue(in);
  for (const Item& item : together_) in.enqueue(item);
}

}  // namespace halocline::device::host
