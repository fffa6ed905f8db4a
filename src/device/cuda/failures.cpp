// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/failures.hpp"

#include <algorithm>
#include <utility>

#include "device/detail/flag_checks.hpp"

namespace halocline::device::cuda {

Failures::Failures(std::span<const std::unique_ptr<Device>> devices) : devices_(devices), failures_(devices.size()) {}

std::uint32_t Failures::label(const std::string& name) {
  const std::lock_guard held(mutex_);
  const auto [found, added] = numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (added) names_.push_back(name);
  return found->second;
}

bool Failures::any() const {
  return reported_.load(std::memory_order_acquire) ||
         std::any_of(devices_.begin(), devices_.end(), [](const auto& device) { return device->board().failed(); });
}

void Failures::report(int device, FailurePtr failure) {
  const std::lock_guard held(mutex_);
  FailurePtr& mine = failures_[static_cast<std::size_t>(device)];
  if (mine == nullptr) mine = std::move(failure);
  if (first_ == nullptr) first_ = mine;
  devices_[static_cast<std::size_t>(device)]->board().fail_from_host();
  reported_.store(true, std::memory_order_release);
}

FailurePtr Failures::of(int device) {
  if (!any()) return nullptr;
  std::unique_lock held(mutex_);
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    if (failures_[d] != nullptr || !devices_[d]->board().failed()) continue;
    failures_[d] = describe(devices_[d]->board().records()->kernels);
    if (first_ == nullptr) first_ = failures_[d];
  }
  const FailurePtr& own = failures_[static_cast<std::size_t>(device)];
  FailurePtr failure = own != nullptr ? own : first_;
  const bool first = !std::exchange(stopped_, true);
  held.unlock();  // CUDA may be running a host function, which reports its failure here
  if (first) stop_all();
  return failure;
}

void Failures::stop_all() {
  for (const auto& device : devices_) {
    const CurrentDevice current(device->context(), std::nothrow);
    const CaptureAside aside;
    log_failure(device->board().stop(device->aside()), "stopping a device after a failure");
  }
}

FailurePtr Failures::describe(const FailureRecord& record) const {
  const std::string& label = names_.at(record.label);
  switch (record.cause) {
    case FailureCause::late:
      return make_failure(ErrorKind::deadline,
                          late_text(label, Duration(record.waited_ns), record.expected, record.found));
    case FailureCause::aborted:
      return make_failure(ErrorKind::communication, aborted_text(label, record.expected, record.found));
    case FailureCause::refused:
      return make_disagreement(refused_text(label, record.found), {record.expected_token, record.found_token});
    case FailureCause::disagreement:
      return make_disagreement(
          disagreement_text(label, record.expected, record.expected_token, record.found, record.found_token),
          {record.expected_token, record.found_token});
    case FailureCause::counter:
      return make_failure(ErrorKind::protocol,
                          counter_text(label, record.found, record.expected, record.expected_token));
  }
  return make_failure(ErrorKind::internal, label + ": failed for an unknown cause");
}

}  // namespace halocline::device::cuda
