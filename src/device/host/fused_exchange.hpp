// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/detail/composed_exchange.hpp"
#include "device/host/operation.hpp"
#include "device/host/scheduler.hpp"

namespace halocline::device::host {

class HostStream;

/// An exchange whose parts are branches of one operation, or, if it copies much or is traced, have streams of their own (decision 0096).
class HostFusedExchange final : public FusedExchange {
 public:
  /// Throws InvalidArgument for what operations of a stream would not take. The backend must outlive this.
  HostFusedExchange(Backend& backend, std::shared_ptr<Scheduler> scheduler, int device, const FusedPlan& plan,
                    std::int64_t one_operation_below_bytes);

  [[nodiscard]] const Scheduler& scheduler() const { return *scheduler_; }
  /// In this stream of the backend, which may be under capture. Behind it, all is done. Throws InvalidArgument for a
  /// stream of another device.
  void enqueue(HostStream& in);
  void check() override { composed_.check(); }
  void stop() noexcept override { composed_.stop(); }

 private:
  [[nodiscard]] std::vector<Item> prepare(HostStream& scratch) const;

  std::shared_ptr<Scheduler> scheduler_;
  ComposedExchange composed_;
  const Tracer* tracer_;
  std::vector<Item> together_;  ///< all of it, with the parts as branches; empty if they have streams
};

}  // namespace halocline::device::host
