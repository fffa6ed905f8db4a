// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/device_mpi.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/agree.hpp"
#include "comm/gather.hpp"
#include "comm/requests.hpp"
#include "comm/short_waits.hpp"
#include "core/leak.hpp"
#include "exchange/detail/tags.hpp"

namespace halocline::exchange {
namespace {

/// One small and one large size: MPIs send small messages in another way than large ones.
constexpr std::array<std::size_t, 2> sizes{64, std::size_t{1} << 18};
constexpr std::size_t largest = sizes.back();

/// Yes if all ranks answer yes. Otherwise no with all reasons, each with the first rank that has it, because some may
/// be mere consequences of others (a rank waits too long for a message that another failed to send).
Verdict agreed(comm::RankGroup& comm, const Verdict& mine) {
  const std::string words = mine.yes ? "" : mine.why_not.empty() ? "no reason given" : mine.why_not;
  const auto all = comm::gather(comm, words);
  if (!all[0].empty() && std::count(all.begin(), all.end(), all[0]) == std::ssize(all)) return mine;
  std::string reasons;
  for (auto rank = all.begin(); rank != all.end(); ++rank) {
    if (rank->empty() || std::find(all.begin(), rank, *rank) != rank) continue;
    reasons += fmt::format("{}rank {}: {}", reasons.empty() ? "" : "; ", rank - all.begin(), *rank);
  }
  return Verdict::of(reasons.empty(), reasons);
}

Verdict asked(const comm::RankGroup& comm, const device::Backend& backend) {
  if (comm.backend() == comm::CommBackend::store) return Verdict::of(false, comm.device_support().why);
  if (backend.kind() == DeviceKind::host) return Verdict::of(true);
  if (comm.size() == 1) return Verdict::of(false, "there is one rank, and messages to oneself are copied by the host");
  const comm::DeviceSupport support = comm.device_support();
  return Verdict::of(support.verdict == comm::DeviceSupport::Verdict::yes, support.why);
}

/// The bytes that a rank sends: a repeated block of a prime number of bytes, so that shifted data are detected.
class Pattern {
 public:
  explicit Pattern(rank_id sender) {
    for (std::size_t i = 0; i < block_.size(); ++i) {
      block_[i] = static_cast<std::byte>(1 + (static_cast<std::size_t>(sender.value()) * 31 + i * 7) % block_.size());
    }
  }
  void put(std::span<std::byte> bytes) const {
    for (; !bytes.empty(); bytes = bytes.subspan(first(bytes.size()))) {
      std::memcpy(bytes.data(), block_.data(), first(bytes.size()));
    }
  }
  [[nodiscard]] bool is(std::span<const std::byte> bytes) const {
    for (; !bytes.empty(); bytes = bytes.subspan(first(bytes.size()))) {
      if (std::memcmp(bytes.data(), block_.data(), first(bytes.size())) != 0) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] std::size_t first(std::size_t bytes) const { return std::min(bytes, block_.size()); }
  std::array<std::byte, 251> block_{};
};

/// Device memory that is sent and received, and pinned memory through which the host fills and reads it.
class ProbedMemory {
 public:
  ProbedMemory(comm::RankGroup& comm, device::Backend& backend, int device)
      : source_(backend.allocate(device, largest)),
        target_(backend.allocate(device, largest)),
        host_(backend.allocate_pinned(largest)),
        stream_(backend.create_stream(device)) {
    Pattern(comm.rank()).put({host_->data(), largest});
    stream_->copy(source_->data(), host_->data(), largest);
    stream_->synchronize();
    // The initial contents of the target differ from every message.
    std::memset(host_->data(), 0, largest);
    stream_->copy(target_->data(), host_->data(), largest);
    stream_->synchronize();
  }

  [[nodiscard]] std::span<const std::byte> source(std::size_t bytes) const { return {source_->data(), bytes}; }
  [[nodiscard]] std::span<std::byte> target(std::size_t bytes) const { return {target_->data(), bytes}; }
  /// Whether the target's first bytes equal the first bytes of a rank's source.
  [[nodiscard]] bool holds(rank_id sender, std::size_t bytes) {
    stream_->copy(host_->data(), target_->data(), bytes);
    stream_->synchronize();
    return Pattern(sender).is({host_->data(), bytes});
  }

 private:
  std::unique_ptr<device::Buffer> source_;
  std::unique_ptr<device::Buffer> target_;
  std::unique_ptr<device::Buffer> host_;
  std::unique_ptr<device::Stream> stream_;
};

/// How long a trial may take. A rank that fails at once waits for the others with the communicator's own timeout, which must end after
/// that.
Duration trial_time(const comm::RankGroup& comm) {
  return std::min<Duration>(comm.timeout() / 4, std::chrono::seconds(10));
}

rank_id previous_of(const comm::RankGroup& comm) {
  return rank_id((comm.rank().value() + comm.size() - 1) % comm.size());
}

/// Sends one message of `bytes` bytes from each rank to the next.
Verdict tried(comm::RankGroup& comm, const std::shared_ptr<ProbedMemory>& memory, std::size_t bytes) {
  const rank_id next((comm.rank().value() + 1) % comm.size());
  const Deadline deadline(comm.clock(), trial_time(comm));
  try {
    const auto receive = comm.receive(memory->target(bytes), previous_of(comm), tags::trial);
    const auto send = comm.send(memory->source(bytes), next, tags::trial);
    comm::wait_until([&] { return receive->test() && send->test(); }, deadline, "trial of MPI on device memory");
    return Verdict::of(true);
  } catch (const Error& error) {
    leak(memory);  // MPI may still read and write it
    return Verdict::of(false, error.what());
  }
}

}  // namespace

Verdict try_device_mpi(comm::RankGroup& comm, device::Backend& backend, int device) {
  if (const Verdict answer = agreed(comm, asked(comm, backend)); !answer.yes) return answer;
  std::shared_ptr<ProbedMemory> memory;
  std::unique_ptr<device::Current> current;
  comm::agree_on(comm, [&] {
    memory = std::make_shared<ProbedMemory>(comm, backend, device);
    current = backend.make_current(device);  // as in exchanges
  });
  for (const std::size_t bytes : sizes) {
    Verdict own = tried(comm, memory, bytes);
    std::optional<comm::ShortWaits> rest;
    if (!own.yes) rest.emplace(comm, comm.timeout() - trial_time(comm));
    comm::agree_on(comm, [&] {  // a failure of the device's is not MPI's answer
      const rank_id previous = previous_of(comm);
      if (!own.yes || memory->holds(previous, bytes)) return;
      own = Verdict::of(false, fmt::format("of {} bytes of device memory, MPI delivered others than rank {} sent",
                                           bytes, previous.value()));
    });
    if (const Verdict answer = agreed(comm, std::move(own)); !answer.yes) return answer;
  }
  return Verdict::of(true);
}

}  // namespace halocline::exchange
