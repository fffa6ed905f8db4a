// SPDX-License-Identifier: BSD-3-Clause
#include "measure/detail/messages.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "comm/agree.hpp"
#include "comm/gather.hpp"
#include "comm/requests.hpp"
#include "core/leak.hpp"
#include "halocline/error.hpp"
#include "measure/detail/stages.hpp"

namespace halocline::machine::measuring {
namespace {

constexpr int first_tag = 64;
constexpr int message_repeats = 4;  // the first is not counted
constexpr int series_of_small = 8;  // between two nodes, in a round
constexpr int rounds_of_pairs = 3;

double now(comm::RankGroup& comm) { return std::chrono::duration<double>(comm.clock().now()).count(); }

/// A message from one device to another, by one method, on the ranks that have a part in it.
class Way {
 public:
  enum class Method : int { host, device, staged };
  static std::string_view name(Method method) {
    constexpr std::array<std::string_view, 3> names{"mpi_host", "mpi_device", "mpi_staged"};
    return names.at(static_cast<std::size_t>(method));
  }

  Way(Session& session, Method method, int from, int to, int tag, std::size_t bytes)
      : bytes_(std::max(bytes, small_bytes)) {
    message_.from = rank_id(session.slot(from).rank);
    message_.to = rank_id(session.slot(to).rank);
    message_.tag = tag;
    message_.memory = buffers_;
    if (session.mine(from)) prepare_sender(session, method, from);
    if (session.mine(to)) prepare_receiver(session, method, to);
  }
  Way(const Way&) = delete;  // the message refers to it
  Way& operator=(const Way&) = delete;
  [[nodiscard]] const Message& message() const { return message_; }

 private:
  /// What MPI sends from and receives into: pinned, or on the device in an allocation of its own, as the transport's is.
  /// The session's memory is mapped by other ranks, so that MPI may fail to map it, and go by the host.
  struct Buffers {
    std::unique_ptr<device::Buffer> out;
    std::unique_ptr<device::Buffer> in;
  };

  void prepare_sender(Session& session, Method method, int device) {
    auto& out = buffers_->out;
    if (method == Method::device) {
      out = session.backend().allocate(session.slot(device).ordinal, bytes_);
      message_.out = out->data();
      return;
    }
    const std::byte* const source = session.source(device, device).data;
    out = session.backend().allocate_pinned(bytes_);
    std::fill_n(out->data(), out->bytes(), std::byte{0});
    message_.out = out->data();
    if (method == Method::host) return;
    out_stream_ = session.backend().create_stream(session.slot(device).ordinal);
    message_.before = [this, source](std::size_t bytes) {
      out_stream_->copy(buffers_->out->data(), source, bytes);
      out_stream_->synchronize();
    };
  }
  void prepare_receiver(Session& session, Method method, int device) {
    auto& in = buffers_->in;
    if (method == Method::device) {
      in = session.backend().allocate(session.slot(device).ordinal, bytes_);
      message_.in = in->data();
      return;
    }
    std::byte* const target = session.target(device, device).data;
    in = session.backend().allocate_pinned(bytes_);
    std::fill_n(in->data(), in->bytes(), std::byte{0});
    message_.in = in->data();
    if (method == Method::host) return;
    in_stream_ = session.backend().create_stream(session.slot(device).ordinal);
    message_.after = [this, target](std::size_t bytes) {
      in_stream_->copy(target, buffers_->in->data(), bytes);
      in_stream_->synchronize();
    };
  }

  std::size_t bytes_;  ///< of the largest message
  Message message_;
  std::shared_ptr<Buffers> buffers_ = std::make_shared<Buffers>();
  std::unique_ptr<device::Stream> out_stream_;
  std::unique_ptr<device::Stream> in_stream_;
};

/// Seconds from the sender's start to the receiver's end. Between two ranks a small message by the same method answers,
/// so the sender's clock has it all.
std::vector<double> there_and_back(comm::RankGroup& comm, const Message& there, const Message& back,
                                   std::size_t bytes) {
  const bool answered = there.from != there.to;
  std::vector<double> seconds;
  for (int i = 0; i < message_repeats; ++i) {
    const double begin = now(comm);
    pass(comm, {&there, 1}, bytes);
    if (answered) pass(comm, {&back, 1}, small_bytes);
    if (i > 0) seconds.push_back(now(comm) - begin);
  }
  return seconds;
}

/// One way; valid on the sending rank.
Times one_way(comm::RankGroup& comm, const Message& there, const Message& back, std::size_t bytes) {
  const std::vector<double> small = there_and_back(comm, there, back, small_bytes);
  const std::vector<double> large = there_and_back(comm, there, back, bytes);
  const double answer = there.from != there.to ? median(small) / 2 : 0;
  Times times;
  times.small = {median(small) - answer};
  // The way there is no shorter than the way back, whatever was in the way of the small ones.
  const double whole = median(large);
  times.large = {answer == 0 ? whole : std::max(whole - answer, whole / 2)};
  return times;
}

struct MessageMemory {
  std::vector<std::byte> out;
  std::vector<std::byte> in;
};

std::shared_ptr<MessageMemory> memory_of(std::size_t bytes) {
  return std::make_shared<MessageMemory>(MessageMemory{std::vector<std::byte>(bytes), std::vector<std::byte>(bytes)});
}

std::pair<Message, Message> there_and_back_of(rank_id from, rank_id to, const std::shared_ptr<MessageMemory>& memory) {
  const auto message = [&](rank_id sender, rank_id receiver, int tag) {
    return Message{sender, receiver, tag, memory->out.data(), memory->in.data(), {}, {}, memory};
  };
  return {message(from, to, first_tag), message(to, from, first_tag + 1)};
}

/// Messages have a group of their own: ranks agree in the other one where a message has failed. Collective.
std::unique_ptr<comm::RankGroup> group_for_messages(comm::RankGroup& comm) {
  return comm.split(0, static_cast<int>(comm.rank().value()));
}

/// Both at once, after the two ranks have met; each receiver's time.
Times two_ways(comm::RankGroup& comm, const Message& there, const Message& back, std::size_t bytes) {
  const std::array both{there, back};
  const auto words = std::make_shared<std::array<std::byte, 2>>();
  const auto word = [&](rank_id from, rank_id to, int tag) {
    return Message{from, to, tag, &words->front(), &words->back(), {}, {}, words};
  };
  const std::array meeting{word(there.from, there.to, first_tag + 2), word(there.to, there.from, first_tag + 3)};
  Times times;
  for (const std::size_t size : {small_bytes, bytes}) {
    for (int i = 0; i < message_repeats; ++i) {
      if (there.from != there.to) pass(comm, meeting, 1);
      const double begin = now(comm);
      pass(comm, both, size);
      if (i > 0) (size == bytes ? times.large : times.small).push_back(now(comm) - begin);
    }
  }
  return times;
}

/// Both directions of a pair, one way and two ways, by the ranks that have the devices.
void measure_pair(Session& session, Way::Method method, int a, int b, std::size_t bytes) {
  comm::RankGroup& ranks = session.messages();
  // MPI looks for memory of a device in the context that is current.
  const int own = session.mine(a) ? a : b;
  const auto current =
      method == Way::Method::device ? session.backend().make_current(session.slot(own).ordinal) : nullptr;
  const Way ab(session, method, a, b, first_tag, bytes);
  const Way ba(session, method, b, a, first_tag + 1, bytes);
  const auto found = [&](int from, int to, Traffic traffic, const Times& times) {
    session.found({.from = from,
                   .to = to,
                   .method = std::string(Way::name(method)),
                   .traffic = traffic,
                   .bytes = static_cast<std::int64_t>(bytes)},
                  times);
  };
  const Times there = one_way(ranks, ab.message(), ba.message(), bytes);
  if (session.mine(a)) found(a, b, Traffic::one_way, there);
  const Times back = one_way(ranks, ba.message(), ab.message(), bytes);
  if (session.mine(b)) found(b, a, Traffic::one_way, back);
  const Times both = two_ways(ranks, ab.message(), ba.message(), bytes);
  if (session.mine(b)) found(a, b, Traffic::two_way, both);
  if (session.mine(a)) found(b, a, Traffic::two_way, both);
}

/// The same on all ranks.
std::string why_not(Session& session, Way::Method method, int a, int b) {
  const bool one_rank = session.slot(a).rank == session.slot(b).rank;
  if (method == Way::Method::host && one_rank) return "one process drives the pair; see pinned";
  if (method == Way::Method::device) {
    const Verdict& access = session.request().device_mpi.value();
    if (!access.yes) return "MPI does not take device pointers: " + access.why_not;
    // A message to oneself is copied by the host.
    if (one_rank && session.backend().kind() != DeviceKind::host) return "one process drives the pair";
  }
  return {};
}

/// Whether a device is its rank's first one: what concerns ranks alone is measured once for each pair of them.
bool first_of_rank(const Session& session, int device) {
  for (int d = 0; d < device; ++d) {
    if (session.slot(d).rank == session.slot(device).rank) return false;
  }
  return true;
}

using Requests = std::vector<std::unique_ptr<comm::Request>>;

void begin_and_wait(comm::RankGroup& comm, std::span<const Message> messages, std::size_t bytes, Requests& under_way) {
  std::vector<const Message*> receives;
  std::vector<bool> done;
  for (const Message& message : messages) {
    if (message.to != comm.rank()) continue;
    receives.push_back(&message);
    under_way.push_back(comm.receive({message.in, bytes}, message.from, message.tag));
  }
  for (const Message& message : messages) {
    if (message.from != comm.rank()) continue;
    if (message.before) message.before(bytes);
    under_way.push_back(comm.send({message.out, bytes}, message.to, message.tag));
  }
  done.resize(under_way.size(), false);
  const Deadline deadline(comm.clock(), comm.timeout());
  for (std::size_t left = under_way.size(); left > 0;) {
    for (std::size_t i = 0; i < under_way.size(); ++i) {
      if (done[i] || !under_way[i]->test()) continue;
      done[i] = true;
      --left;
      if (i < receives.size() && receives[i]->after) receives[i]->after(bytes);
    }
    if (left > 0 && deadline.expired()) throw DeadlineError("a message of a measurement was not there in time");
    if (left > 0) std::this_thread::yield();
  }
}

}  // namespace

void pass(comm::RankGroup& comm, std::span<const Message> messages, std::size_t bytes) {
  Requests under_way;  // given up after the group is poisoned
  try {
    begin_and_wait(comm, messages, bytes, under_way);
  } catch (...) {
    comm.poison();
    for (const Message& message : messages) leak(message.memory);
    throw;
  }
}

void measure_messages(Session& session) {
  const std::size_t bytes = session.mpi_bytes();
  const bool root = session.node().rank() == rank_id(0);
  for (int a = 0; a < session.devices(); ++a) {
    for (int b = a + 1; b < session.devices(); ++b) {
      if (session.slot(a).rank < 0 || session.slot(b).rank < 0) continue;
      for (const auto method : {Way::Method::host, Way::Method::device, Way::Method::staged}) {
        const std::string why = why_not(session, method, a, b);
        if (!why.empty()) {
          for (int direction = 0; root && direction < 2; ++direction) session.leave_out(Way::name(method), why);
          continue;
        }
        if (method == Way::Method::host && !(first_of_rank(session, a) && first_of_rank(session, b))) continue;
        if (!session.time_left({Way::name(method)})) continue;
        comm::agree_on(session.node(), [&] {
          if (session.mine(a) || session.mine(b)) measure_pair(session, method, a, b, bytes);
        });
      }
    }
  }
}

LinkRate measure_network(comm::RankGroup& comm, const std::vector<rank_id>& first_ranks,
                         const MeasureRequest& request) {
  const std::size_t bytes = std::max(static_cast<std::size_t>(request.bytes) / 4, small_bytes);
  std::array<rank_id, 2> pair;  // this rank's, where it has one
  for (std::size_t n = 0; n + 1 < first_ranks.size(); n += 2) {
    if (comm.rank() == first_ranks[n] || comm.rank() == first_ranks[n + 1]) pair = {first_ranks[n], first_ranks[n + 1]};
  }
  const auto messages = group_for_messages(comm);
  std::array<double, 2> mine{0, 0};  // seconds: large, small
  comm::agree_on(comm, [&] {
    if (!pair[0].valid()) return;
    const auto [there, back] = there_and_back_of(pair[0], pair[1], memory_of(bytes));
    const Times times = one_way(*messages, there, back, bytes);
    if (comm.rank() == pair[0]) mine = {median(times.large), median(times.small)};
  });
  messages->close();
  std::vector<double> large;
  std::vector<double> small;
  for (const auto& [of_large, of_small] : comm::gather_value(comm, mine)) {
    if (of_large <= 0) continue;
    large.push_back(of_large);
    small.push_back(of_small);
  }
  if (large.empty()) throw InternalError("no pair of nodes measured the network between them");
  return {static_cast<double>(bytes) / median(large), std::max(median(small), 0.0)};
}

std::vector<PairMeasurement> measure_node_pairs(comm::RankGroup& comm, const std::vector<rank_id>& first_ranks,
                                                const MeasureRequest& request) {
  const std::size_t bytes = std::max(static_cast<std::size_t>(request.bytes) / 4, small_bytes);
  const auto messages = group_for_messages(comm);
  std::shared_ptr<MessageMemory> memory;
  comm::agree_on(comm, [&] { memory = memory_of(bytes); });
  const double begin = now(comm);
  const auto nodes = std::ssize(first_ranks);
  const std::int64_t pairs = nodes * (nodes - 1) / 2;
  std::vector<PairMeasurement> own;
  std::int64_t done = 0;
  // Other work only adds time, and rounds lie apart, so that it does not add to all of them.
  for (int round = 0; round < rounds_of_pairs; ++round) {
    auto again = own.begin();
    for (int a = 0; a < nodes; ++a) {
      for (int b = a + 1; b < nodes; ++b, ++done) {
        const double spent = comm.all_reduce(now(comm) - begin, comm::Reduction::max);
        if (round > 0 && spent > request.seconds) break;
        comm::agree_on(comm, [&] {
          if (spent > request.seconds) {
            throw DeadlineError(
                fmt::format("{} of {} pairs of nodes were measured in {} s; allow more time, or fewer bytes", done,
                            pairs, request.seconds));
          }
          const rank_id from = first_ranks[static_cast<std::size_t>(a)];
          const rank_id to = first_ranks[static_cast<std::size_t>(b)];
          if (comm.rank() != from && comm.rank() != to) return;
          const auto [there, back] = there_and_back_of(from, to, memory);
          double small = std::numeric_limits<double>::max();
          for (int i = 0; i < series_of_small; ++i) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            small = std::min(small, std::ranges::min(there_and_back(*messages, there, back, small_bytes)) / 2);
          }
          const double large = std::ranges::min(there_and_back(*messages, there, back, bytes));
          if (comm.rank() != from) return;
          const double bandwidth = static_cast<double>(bytes) / std::max(large - small, large / 2);
          if (round == 0) {
            own.push_back({a, b, small, bandwidth});
          } else {
            again->latency = std::min(again->latency, small);
            again->bandwidth = std::max(again->bandwidth, bandwidth);
            ++again;
          }
        });
      }
    }
  }
  messages->close();
  std::vector<PairMeasurement> all;
  for (const auto& part : comm::gather(comm, own)) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace halocline::machine::measuring
