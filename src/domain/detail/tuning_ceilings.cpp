// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/tuning_ceilings.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "comm/agree.hpp"
#include "comm/requests.hpp"
#include "core/clock.hpp"
#include "core/leak.hpp"

namespace halocline {
namespace {

constexpr std::size_t copied_bytes = std::size_t{8} << 20;
constexpr std::size_t sent_bytes = std::size_t{1} << 20;
constexpr int best_of = 3;
constexpr int ceiling_tag = 1;

/// Bytes a second of the slowest rank, in the best of some turns.
template <typename Work>
double slowest_rate(comm::RankGroup& comm, std::size_t bytes, Work&& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < best_of; ++i) {
    comm.barrier();
    const Duration begin = Clock::steady().now();
    comm::agree_on(comm, work);
    const std::chrono::duration<double> took = Clock::steady().now() - begin;
    best = std::min(best, comm.all_reduce(took.count(), comm::Reduction::max));
  }
  return static_cast<double>(bytes) / std::max(best, 1e-9);
}

}  // namespace

std::map<std::string, double> tuning_ceilings(comm::RankGroup& comm, device::Backend& backend) {
  std::map<std::string, double> found;
  std::unique_ptr<device::Buffer> from, to;
  std::unique_ptr<device::Stream> stream;
  comm::agree_on(comm, [&] {
    from = backend.allocate(0, copied_bytes);
    to = backend.allocate(0, copied_bytes);
    stream = backend.create_stream(0);
  });
  found["copy_within_device_bytes_per_s"] = slowest_rate(comm, copied_bytes, [&] {
    stream->copy(to->data(), from->data(), copied_bytes);
    stream->synchronize();
  });
  if (comm.size() == 1) return found;
  struct Messages {
    std::vector<std::byte> out, in;
    std::unique_ptr<comm::Request> receive, send;
  };
  auto messages = std::make_unique<Messages>(
      Messages{std::vector<std::byte>(sent_bytes), std::vector<std::byte>(sent_bytes), {}, {}});
  const std::int64_t ranks = comm.size();
  const rank_id next((comm.rank().value() + 1) % ranks);
  const rank_id previous((comm.rank().value() + ranks - 1) % ranks);
  found["message_to_next_rank_bytes_per_s"] = slowest_rate(comm, sent_bytes, [&] {
    try {
      messages->receive = comm.receive(messages->in, previous, ceiling_tag);
      messages->send = comm.send(messages->out, next, ceiling_tag);
      comm::wait_for_others(
          comm, [&] { return messages->receive->test(); }, comm.timeout(), "a message to the next rank");
      comm::wait_for_others(
          comm, [&] { return messages->send->test(); }, comm.timeout(), "a message to the next rank");
    } catch (...) {
      comm.poison();
      leak(std::move(messages));  // MPI may still access it
      throw;
    }
  });
  return found;
}

}  // namespace halocline
