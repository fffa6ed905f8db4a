// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "device/fused_exchange.hpp"
#include "halocline/error.hpp"

namespace halocline::device::threaded {

struct ThreadTeam;

/// A fused exchange with its backend and device, so that a call can refuse a wrong one before a launcher reaches it.
class ThreadedExchange final : public FusedExchange {
 public:
  ThreadedExchange(std::shared_ptr<ThreadTeam> team, std::unique_ptr<FusedExchange> inner, int device)
      : team_(std::move(team)), inner_(std::move(inner)), device_(device) {}
  void check() override { inner_->check(); }
  void stop() noexcept override { inner_->stop(); }
  [[nodiscard]] std::uint64_t* stamps() override { return inner_->stamps(); }

  /// Throws InvalidArgument if it was made by another backend or for another device.
  static FusedExchange& inner_of(FusedExchange& exchange, const ThreadTeam* team, int device) {
    auto* mine = dynamic_cast<ThreadedExchange*>(&exchange);
    if (mine == nullptr || mine->team_.get() != team) {
      throw InvalidArgument("the fused exchange belongs to another backend than the stream");
    }
    if (mine->device_ != device) {
      throw InvalidArgument("the fused exchange was prepared for device " + std::to_string(mine->device_) +
                            "; allowed is the stream's, " + std::to_string(device));
    }
    return *mine->inner_;
  }

 private:
  std::shared_ptr<ThreadTeam> team_;
  std::unique_ptr<FusedExchange> inner_;
  int device_;
};

}  // namespace halocline::device::threaded
