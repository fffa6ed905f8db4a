// SPDX-License-Identifier: BSD-3-Clause
#include "comm/store/store_communicator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <system_error>
#include <utility>
#include <vector>

#include "comm/detail/anonymous_window.hpp"
#include "comm/detail/arguments.hpp"
#include "comm/gather.hpp"
#include "comm/store/failure.hpp"
#include "comm/store/name_of_run.hpp"
#include "comm/store/store_mailbox.hpp"
#include "core/clock.hpp"
#include "core/ranks_text.hpp"
#include "core/serialise.hpp"
#include "core/timeout.hpp"

namespace halocline::comm {
namespace store {
namespace {

std::shared_ptr<local::Group> group_of(const std::shared_ptr<Store>& store, const std::string& name, int me, int size) {
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  auto group = std::make_shared<local::Group>(std::make_shared<local::Roll>(static_cast<int>(ranks.size())), ranks);
  for (const int rank : ranks) {
    group->mailboxes[static_cast<std::size_t>(rank)] = std::make_unique<StoreMailbox>(store, name, me, rank);
  }
  return group;
}

/// A rank's process. node: equal for processes that see each other, of one boot of one kernel, and one name space of process numbers.
struct Whereabouts {
  std::string node;
  Process process;
};
auto members(MaybeConst<Whereabouts> auto& place) { return std::tie(place.node, place.process); }

std::string node_identity() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::error_code ignored;
  return boot + " " + std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string();
}

}  // namespace

StoreCommunicator::StoreCommunicator(std::shared_ptr<Store> store, std::string name, int rank, int size,
                                     Duration timeout)
    : LocalCommunicator(CommBackend::store, group_of(store, name, rank, size), rank, Clock::steady(), timeout),
      store_(std::move(store)),
      name_(std::move(name)) {}

DeviceSupport StoreCommunicator::device_support() const {
  return {DeviceSupport::Verdict::no, "messages travel through a store, for which the host copies them"};
}

std::unique_ptr<RankGroup> StoreCommunicator::split_by_node(std::optional<int> ranks_per_node) {
  const auto wishes = gather_value(*this, static_cast<std::int64_t>(ranks_per_node.value_or(size())));
  for (std::size_t rank = 0; rank < wishes.size(); ++rank) check_ranks_per_node(wishes[rank], rank);
  const auto places = gather(*this, Whereabouts{node_identity(), this_process()});
  const std::string& mine = places[rank().index()].node;
  const auto first = std::ranges::find(places, mine, &Whereabouts::node) - places.begin();
  for (int other = 0; other < size(); ++other) {
    const Whereabouts& place = places[static_cast<std::size_t>(other)];
    if (place.node == mine) of_node_[other] = place.process;
  }
  auto node = split(static_cast<int>(first), 0);
  if (!ranks_per_node) return node;
  const auto rank_in_node = static_cast<int>(node->rank().value());
  auto part = node->split(rank_in_node / *ranks_per_node, rank_in_node);
  node->close();
  return part;
}

std::unique_ptr<SharedWindow> StoreCommunicator::shared_window(std::size_t bytes) {
  return make_anonymous_window(*this, bytes);
}

std::string StoreCommunicator::lost() {
  std::vector<int> ranks;
  for (const auto& [rank, process] : of_node_) {
    if (!runs(process)) ranks.push_back(rank);
  }
  return ranks.empty() ? std::string()
                       : fmt::format("{} {} missing", ranks_text(ranks), ranks.size() == 1 ? "is" : "are");
}

void StoreCommunicator::poison() noexcept {
  if (!poisoned()) send_failure(*store_, name_, static_cast<int>(rank().value()), size());
  LocalCommunicator::poison();
}

std::unique_ptr<RankGroup> StoreCommunicator::of_members(const std::vector<int>& members, int new_rank, int colour) {
  auto name = fmt::format("{}/{}.{}", name_, splits_++, colour);
  return std::make_unique<StoreCommunicator>(store_, std::move(name), new_rank, static_cast<int>(members.size()),
                                             timeout());
}

}  // namespace store

Communicator from_store(std::shared_ptr<Store> store, const std::string& name, int rank, int size, Duration timeout) {
  if (store == nullptr) throw InvalidArgument("from_store: the store is null");
  if (size < 1 || rank < 0 || rank >= size) {
    throw InvalidArgument(
        fmt::format("from_store: rank is {} of {}; allowed is 0 to size - 1, and a size of 1 or more", rank, size));
  }
  const std::string of_run = store::name_of_run(*store, name, rank, size, checked_timeout(timeout));
  std::unique_ptr<RankGroup> group =
      std::make_unique<store::StoreCommunicator>(std::move(store), of_run, rank, size, timeout);
  return Communicator(std::move(group));
}

}  // namespace halocline::comm
