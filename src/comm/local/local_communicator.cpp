// SPDX-License-Identifier: BSD-3-Clause
#include "comm/local/local_communicator.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "comm/agree.hpp"
#include "comm/detail/arguments.hpp"
#include "comm/detail/reduce.hpp"
#include "comm/gather.hpp"
#include "comm/local/local_requests.hpp"
#include "comm/requests.hpp"

namespace halocline::comm::local {
namespace {

/// A tag outside the range for users. All ranks call collectives in the same order, so one tag is enough.
constexpr int collective_tag = -1;

/// Memory of one rank's segment; a whole number of cache lines.
class Segment {
 public:
  explicit Segment(std::size_t bytes) : pages_((bytes + sizeof(Page) - 1) / sizeof(Page)), bytes_(bytes) {}
  [[nodiscard]] std::span<std::byte> bytes() { return {reinterpret_cast<std::byte*>(pages_.data()), bytes_}; }

 private:
  /// Whole pages, as in a window between processes: devices register pages, not bytes.
  struct alignas(4096) Page {
    std::array<std::byte, 4096> bytes{};
  };
  std::vector<Page> pages_;
  std::size_t bytes_;
};

/// Keeps the segments of all ranks alive, so that ranks may destroy their windows in any order.
class HeapWindow final : public SharedWindow {
 public:
  explicit HeapWindow(std::vector<std::shared_ptr<Segment>> segments) : segments_(std::move(segments)) {}
  [[nodiscard]] std::span<std::byte> segment(rank_id rank) const override {
    if (rank.value() < 0 || rank.index() >= segments_.size()) {
      throw InvalidArgument(fmt::format("segment: rank is {}; allowed is 0 to {}", rank.value(), segments_.size() - 1));
    }
    return segments_[rank.index()]->bytes();
  }

 private:
  std::vector<std::shared_ptr<Segment>> segments_;
};

/// The arguments of one rank in split().
struct Wish {
  int colour;
  int key;
};

std::vector<std::byte> copy_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

LocalCommunicator::LocalCommunicator(CommBackend backend, std::shared_ptr<Group> group, int rank, const Clock& clock,
                                     Duration timeout)
    : backend_(backend), group_(std::move(group)), rank_(rank), clock_(&clock) {
  set_timeout(timeout);
}

void LocalCommunicator::require_usable(std::string_view operation) const {
  if (life_->closed) throw InternalError(fmt::format("{} on a communicator that was closed", operation));
  if (life_->poisoned) {
    throw CommunicationError(fmt::format("{}: this group of ranks is unusable after an earlier error", operation));
  }
}

std::unique_ptr<Request> LocalCommunicator::send(std::span<const std::byte> bytes, rank_id to, int tag) {
  require_usable("send");
  check_rank(*this, to, "send");
  check_tag(tag, "send");
  return make_send({group_, life_, rank_}, bytes, static_cast<int>(to.value()), tag);
}

std::unique_ptr<Request> LocalCommunicator::receive(std::span<std::byte> bytes, rank_id from, int tag) {
  require_usable("receive");
  check_rank(*this, from, "receive");
  check_tag(tag, "receive");
  return make_receive({group_, life_, rank_}, bytes, static_cast<int>(from.value()), tag);
}

std::unique_ptr<PersistentRequest> LocalCommunicator::persistent_send(std::span<const std::byte> bytes, rank_id to,
                                                                      int tag) {
  require_usable("persistent_send");
  check_rank(*this, to, "persistent_send");
  check_tag(tag, "persistent_send");
  return make_persistent_send({group_, life_, rank_}, bytes, static_cast<int>(to.value()), tag);
}

std::unique_ptr<PersistentRequest> LocalCommunicator::persistent_receive(std::span<std::byte> bytes, rank_id from,
                                                                         int tag) {
  require_usable("persistent_receive");
  check_rank(*this, from, "persistent_receive");
  check_tag(tag, "persistent_receive");
  return make_persistent_receive({group_, life_, rank_}, bytes, static_cast<int>(from.value()), tag);
}

std::unique_ptr<PersistentRequest> LocalCommunicator::persistent_receive_at_most(std::span<std::byte> bytes,
                                                                                 rank_id from, int tag) {
  require_usable("persistent_receive_at_most");
  check_rank(*this, from, "persistent_receive_at_most");
  check_tag(tag, "persistent_receive_at_most");
  return make_persistent_receive({group_, life_, rank_}, bytes, static_cast<int>(from.value()), tag, Length::at_most);
}

template <typename Body>
auto LocalCommunicator::collective(std::string_view operation, Body&& body) {
  require_usable(operation);
  try {
    return body();
  } catch (...) {
    poison();
    throw;
  }
}

void LocalCommunicator::post(std::string_view operation, Message message, int to) {
  message.operation = operation;
  group_->mailbox(to).deliver(rank_, collective_tag, std::move(message));
}

Message LocalCommunicator::wait_for(std::string_view operation, int from) {
  return wait_for(operation, from, Deadline(*clock_, timeout()));
}

Message LocalCommunicator::wait_for(std::string_view operation, int from, const Deadline& deadline) {
  Mailbox& mailbox = group_->mailbox(rank_);
  const auto slot = mailbox.post(from, collective_tag);
  Message message;
  const auto arrived = [&] {
    const auto ended = group_->ended(from);
    if (mailbox.take(*slot, message)) return true;
    if (ended) {
      throw PeerEnded(fmt::format("rank {}: {}: rank {} has ended {}", rank_, operation, from, *ended));
    }
    return false;
  };
  try {
    wait_for_others(*this, arrived, deadline.left(),
                    fmt::format("{}, waiting for rank {},", describe(*this, operation), from));
  } catch (...) {
    mailbox.withdraw(slot);
    throw;
  }
  if (message.operation != operation) {
    throw ProtocolError(
        fmt::format("rank {} called {}, rank {} called {}; collectives must be called in the same order", rank_,
                    operation, from, message.operation));
  }
  return message;
}

std::vector<Message> LocalCommunicator::exchange(std::string_view operation, Message mine) {
  for (int rank = 0; rank < size(); ++rank) {
    if (rank != rank_) post(operation, mine, rank);
  }
  std::vector<Message> all(static_cast<std::size_t>(size()));
  const Deadline deadline(*clock_, timeout());
  for (int rank = 0; rank < size(); ++rank) {
    if (rank != rank_) all[static_cast<std::size_t>(rank)] = wait_for(operation, rank, deadline);
  }
  all[static_cast<std::size_t>(rank_)] = std::move(mine);
  return all;
}

void LocalCommunicator::barrier() {
  collective("barrier", [&] { (void)exchange("barrier", {}); });
}

void LocalCommunicator::broadcast(std::vector<std::byte>& bytes, rank_id root) {
  check_rank(*this, root, "broadcast");
  collective("broadcast", [&] {
    if (root == this->rank()) {
      for (int rank = 0; rank < size(); ++rank) {
        if (rank != rank_) post("broadcast", {{}, bytes, nullptr}, rank);
      }
    } else {
      bytes = wait_for("broadcast", static_cast<int>(root.value())).bytes;
    }
  });
}

std::vector<std::vector<std::byte>> LocalCommunicator::all_gather(std::span<const std::byte> bytes) {
  return collective("all_gather", [&] {
    std::vector<std::vector<std::byte>> gathered;
    for (auto& message : exchange("all_gather", {{}, copy_of(bytes), nullptr})) {
      gathered.push_back(std::move(message.bytes));
    }
    return gathered;
  });
}

template <typename T>
void LocalCommunicator::reduce(std::span<T> values, Reduction reduction) {
  collective("all_reduce", [&] {
    const auto all = exchange("all_reduce", {{}, copy_of(std::as_bytes(values)), nullptr});
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (all[rank].bytes.size() != all[0].bytes.size()) {
        throw InvalidArgument(fmt::format("all_reduce: rank {} gave {} bytes, rank 0 gave {}", rank,
                                          all[rank].bytes.size(), all[0].bytes.size()));
      }
    }
    std::vector<T> with(values.size());
    for (std::size_t rank = 0; rank < all.size() && !values.empty(); ++rank) {
      std::memcpy(with.data(), all[rank].bytes.data(), all[rank].bytes.size());
      if (rank == 0) std::copy(with.begin(), with.end(), values.begin());
      else reduce_into(values, std::span<const T>(with), reduction);
    }
  });
}

void LocalCommunicator::all_reduce(std::span<double> values, Reduction reduction) { reduce(values, reduction); }
void LocalCommunicator::all_reduce(std::span<std::int64_t> values, Reduction reduction) { reduce(values, reduction); }

std::unique_ptr<RankGroup> LocalCommunicator::split(int colour, int key) {
  const auto wishes = comm::gather_value(*this, Wish{colour, key});
  for (std::size_t rank = 0; rank < wishes.size(); ++rank) check_colour(wishes[rank].colour, rank);
  std::vector<std::pair<int, int>> members;  // key, rank
  for (int rank = 0; rank < size(); ++rank) {
    const auto& wish = wishes[static_cast<std::size_t>(rank)];
    if (wish.colour == colour) members.emplace_back(wish.key, rank);
  }
  std::sort(members.begin(), members.end());
  const auto mine = std::find(members.begin(), members.end(), std::pair(key, rank_));
  const int new_rank = static_cast<int>(mine - members.begin());
  std::vector<int> ranks;
  for (const auto& member : members) ranks.push_back(member.second);
  return collective("split", [&] { return of_members(ranks, new_rank, colour); });
}

std::unique_ptr<RankGroup> LocalCommunicator::of_members(const std::vector<int>& members, int new_rank,
                                                         int /*colour*/) {
  std::shared_ptr<Group> group;
  if (new_rank == 0) {
    std::vector<int> world;
    for (const int rank : members) world.push_back(group_->world_ranks[static_cast<std::size_t>(rank)]);
    group = std::make_shared<Group>(group_->roll, std::move(world));
    for (const int rank : members) {
      if (rank != rank_) post("split", {{}, {}, group}, rank);
    }
  } else {
    group = std::static_pointer_cast<Group>(wait_for("split", members.front()).object);
  }
  return std::make_unique<LocalCommunicator>(backend_, std::move(group), new_rank, *clock_, timeout());
}

std::unique_ptr<RankGroup> LocalCommunicator::split_by_node(std::optional<int> ranks_per_node) {
  const auto wishes = comm::gather_value(*this, static_cast<std::int64_t>(ranks_per_node.value_or(size())));
  for (std::size_t rank = 0; rank < wishes.size(); ++rank) check_ranks_per_node(wishes[rank], rank);
  return split(rank_ / ranks_per_node.value_or(size()), rank_);
}

std::unique_ptr<SharedWindow> LocalCommunicator::shared_window(std::size_t bytes) {
  std::shared_ptr<Segment> mine;
  agree_on(*this, [&] { mine = std::make_shared<Segment>(bytes); });
  return collective("shared_window", [&]() -> std::unique_ptr<SharedWindow> {
    std::vector<std::shared_ptr<Segment>> segments;
    for (auto& message : exchange("shared_window", {{}, {}, mine})) {
      segments.push_back(std::static_pointer_cast<Segment>(message.object));
    }
    return std::make_unique<HeapWindow>(std::move(segments));
  });
}

void LocalCommunicator::close() {
  if (life_->closed) return;
  if (!life_->poisoned) barrier();
  life_->closed = true;
}

}  // namespace halocline::comm::local
