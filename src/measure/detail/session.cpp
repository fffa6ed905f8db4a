// SPDX-License-Identifier: BSD-3-Clause
#include "measure/detail/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "comm/agree.hpp"
#include "comm/gather.hpp"
#include "core/median.hpp"
#include "halocline/error.hpp"

namespace halocline::machine::measuring {
namespace {

/// Four digits: what is beyond them changes from run to run, and documents stay readable.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 3);
  return unit >= 1 ? std::round(value / unit) * unit : std::round(value / unit) / std::round(1 / unit);
}

/// What each rank tells about its devices, by device.
struct Told {
  bool there = false;
  device::MemoryHandle handle;
};

}  // namespace

Session::Session(comm::RankGroup& node, device::Backend& backend, std::vector<Slot> slots, MeasureRequest request)
    : node_(node),
      backend_(backend),
      slots_(std::move(slots)),
      request_(std::move(request)),
      me_(static_cast<int>(node.rank().value())),
      begun_(node.clock().now()),
      messages_(node.split(0, me_)),
      gate_(std::make_unique<Gate>(node, backend)),
      memory_(slots_.size()),
      handles_(slots_.size()) {
  std::vector<Told> mine(slots_.size());
  comm::agree_on(node, [&] {
    const std::size_t words = slots_.size() * 2 * sizeof(device::Flag);
    for (std::size_t d = 0; d < slots_.size(); ++d) {
      if (slots_[d].rank != me_) continue;
      memory_[d] = backend.allocate_shareable(slots_[d].ordinal, 2 * capacity() + words);
      mine[d] = {true, memory_[d]->handle()};
    }
  });
  for (const auto& all : comm::gather(node, mine)) {
    for (std::size_t d = 0; d < std::min(all.size(), handles_.size()); ++d) {
      if (all[d].there) handles_[d] = all[d].handle;
    }
  }
}

void Session::close() {
  mapped_.clear();
  node_.barrier();
  messages_->close();
}

std::size_t Session::slice_bytes() const { return bytes() / std::max<std::size_t>(slots_.size(), 1) / 256 * 256; }

Reach Session::area(int user, int device, std::size_t offset) {
  if (!mine(user)) throw InternalError("memory was asked for on behalf of another rank's device");
  if (mine(device)) return {memory_[static_cast<std::size_t>(device)]->data() + offset, ""};
  if (slot(device).rank < 0) return {nullptr, "no rank drives the device"};
  const auto [entry, is_new] = mapped_.try_emplace({user, device});
  if (is_new) {
    try {
      entry->second.mapping = backend_.map(slot(user).ordinal, handles_[static_cast<std::size_t>(device)]);
    } catch (const CapabilityError& error) {
      entry->second.why_not = error.what();
    }
  }
  const Mapped& mapped = entry->second;
  return mapped.mapping == nullptr ? Reach{nullptr, mapped.why_not} : Reach{mapped.mapping->data() + offset, ""};
}

std::byte* Session::host_memory(int numa_vertex, int numa_number) {
  std::unique_ptr<HostMemory>& memory = host_memory_[numa_vertex];
  if (memory == nullptr) memory = pinned_memory(backend_, 2 * capacity(), numa_vertex < 0 ? -1 : numa_number);
  return memory->data();
}

/// Once outside of any gate: what is done only the first time (peer access, loading of code) may wait for the device.
void Session::warm_up(std::span<Job> jobs, std::size_t bytes) {
  for (Job& job : jobs) {
    job.transfer(job.lane->stream(), bytes);
    job.transfer(job.lane->stream(), small_bytes);
  }
  for (Job& job : jobs) job.lane->stream().synchronize();
}

/// Seconds of each transfer, by job, without the first one. Of the whole node: two agreements, one before the gate
/// opens and one after all are done.
std::vector<std::vector<double>> Session::round(std::span<Job> jobs, Gate::Scope scope, std::size_t bytes, int row) {
  const auto enqueue = [&] {
    for (Job& job : jobs) job.lane->enqueue(*gate_, scope, job.transfer, bytes, request_.repeats + 1, row);
  };
  const bool together = scope == Gate::Scope::node;
  gate_->shut(scope);
  std::exception_ptr failed;
  try {
    if (gate_->holds()) enqueue();
  } catch (...) {
    failed = std::current_exception();
  }
  if (together) {
    try {
      comm::agree(node_, failed);
    } catch (...) {
      failed = std::current_exception();
    }
  }
  std::vector<std::vector<double>> seconds;
  const auto finish = [&] {
    gate_->open(scope);  // after a failure too, so that no work stays blocked
    if (failed) std::rethrow_exception(failed);
    if (!gate_->holds()) enqueue();
    for (Job& job : jobs) job.lane->stream().synchronize();
    for (const Job& job : jobs) {
      std::vector<double> times = job.lane->seconds();
      times.erase(times.begin());
      seconds.push_back(std::move(times));
    }
  };
  if (together && !failed) {
    comm::agree_on(node_, finish);
  } else {
    finish();
  }
  return seconds;
}

void Session::time(std::span<Job> jobs, Gate::Scope scope, std::size_t bytes) {
  if (scope == Gate::Scope::node) {
    comm::agree_on(node_, [&] { warm_up(jobs, bytes); });
  } else {
    warm_up(jobs, bytes);
  }
  const auto large = round(jobs, scope, bytes, 1);
  const auto small = round(jobs, scope, small_bytes, small_row);
  for (std::size_t j = 0; j < jobs.size(); ++j) jobs[j].times = {large[j], small[j]};
}

Times Session::time_alone(int device, const Transfer& transfer, std::size_t bytes) {
  Lane lane(backend_, slot(device).ordinal);
  Job job{&lane, transfer, {}};
  time({&job, 1}, Gate::Scope::rank, bytes);
  return job.times;
}

void Session::found(Measurement what, const Times& times) {
  const double small = median(times.small);
  const double large = what.bytes > 0 ? median(times.large) : small;
  if (large <= 0) {
    leave_out(what.method, "the clock did not advance");
    return;
  }
  if (what.bytes == 0) what.bytes = small_bytes;
  // Within a device every byte is read and written.
  const double moved = static_cast<double>(what.bytes) * (what.from == what.to ? 2 : 1);
  what.bandwidth = rounded(moved / large);
  what.latency = rounded(std::max(small, 0.0));
  measurements_.push_back(std::move(what));
}

bool Session::time_left(std::initializer_list<std::string_view> methods) {
  const double spent = std::chrono::duration<double>(node_.clock().now() - begun_).count();
  if (node_.all_reduce(spent, comm::Reduction::max) < request_.seconds) return true;
  if (me_ != 0) return false;
  for (const std::string_view method : methods) {
    left_out_.push_back(
        {std::string(method), fmt::format("the time for measuring, {:g} s, was spent", request_.seconds), 1, true});
  }
  return false;
}

}  // namespace halocline::machine::measuring
