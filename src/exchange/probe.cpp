// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/probe.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "comm/agree.hpp"
#include "core/leak.hpp"
#include "core/serialise.hpp"
#include "exchange/detail/connections.hpp"
#include "exchange/detail/device_mpi.hpp"
#include "exchange/detail/tags.hpp"

namespace halocline {

auto members(MaybeConst<Verdict> auto& verdict) { return std::tie(verdict.yes, verdict.why_not); }

namespace exchange {
namespace {

/// A small allocation with a known value on each device of this rank that drives a subdomain, which other ranks try to
/// map; and this rank's own trials with their allocations.
class Trial {
 public:
  Trial(device::Backend& backend, rank_id me, const std::set<int>& devices)
      : backend_(&backend), host_(backend.allocate_pinned(sizeof(std::uint64_t))) {
    for (const int device : devices) {
      Own& own = own_[device];
      own.buffer = backend.allocate_shareable(device, 128);
      own.stream = backend.create_stream(device);
      const std::uint64_t value = expected(me, device);
      std::memcpy(host_->data(), &value, sizeof value);
      own.stream->copy(own.buffer->data(), host_->data(), sizeof value);
      own.stream->synchronize();
    }
  }

  [[nodiscard]] std::map<int, device::MemoryHandle> handles() const {
    std::map<int, device::MemoryHandle> handles;
    for (const auto& [device, own] : own_) handles[device] = own.buffer->handle();
    return handles;
  }

  /// Maps another rank's trial memory for a device of this rank and checks whether it contains the value.
  [[nodiscard]] Verdict map(int device, const device::MemoryHandle& handle, rank_id owner, int owner_device) {
    const std::uint64_t value = expected(owner, owner_device);
    std::uint64_t seen = ~value;
    std::memcpy(host_->data(), &seen, sizeof seen);
    try {
      const auto mapping = backend_->map(device, handle);
      device::Stream& stream = *own_.at(device).stream;
      stream.copy(host_->data(), mapping->data(), sizeof seen);
      stream.synchronize();
    } catch (const Error& error) {
      return Verdict::of(false, error.what());
    }
    std::memcpy(&seen, host_->data(), sizeof seen);
    return Verdict::of(seen == value, "mapped memory shows other contents than its owner wrote");
  }

  /// Maps arrays of another rank's user, without a look at what is in them, which is the user's.
  [[nodiscard]] Verdict map_arrays(int device, const std::vector<std::vector<device::MemoryHandle>>& arrays,
                                   rank_id owner, std::vector<std::unique_ptr<device::Mapping>>* kept) {
    for (const auto& pieces : arrays) {
      try {
        auto mapping = backend_->map_range(device, pieces);
        if (kept != nullptr) kept->push_back(std::move(mapping));
      } catch (const Error& error) {
        return Verdict::of(false, fmt::format("an array of rank {}'s user: {}", owner.value(), error.what()));
      }
    }
    return Verdict::of(true);
  }

 private:
  struct Own {
    std::unique_ptr<device::ShareableBuffer> buffer;
    std::unique_ptr<device::Stream> stream;
  };

  static std::uint64_t expected(rank_id rank, int device) {
    return UINT64_C(0x48414c4f00000000) + static_cast<std::uint64_t>(rank.value()) * 4096 +
           static_cast<std::uint64_t>(device);
  }
  device::Backend* backend_;
  std::unique_ptr<device::Buffer> host_;
  std::map<int, Own> own_;
};

/// Owner. While an exception unwinds, such as a DeadlineError, the trial is leaked: a late rank may still map its
/// memory.
class TrialOwner {
 public:
  TrialOwner() = default;
  TrialOwner(const TrialOwner&) = delete;  // one trial one owner
  TrialOwner& operator=(const TrialOwner&) = delete;
  ~TrialOwner() {
    if (std::uncaught_exceptions() > exceptions_) leak(std::move(trial_));
  }
  void make(device::Backend& backend, rank_id me, const std::set<int>& devices) {
    trial_ = std::make_unique<Trial>(backend, me, devices);
  }
  [[nodiscard]] Trial* operator->() const { return trial_.get(); }

 private:
  int exceptions_ = std::uncaught_exceptions();
  std::unique_ptr<Trial> trial_;
};

/// For each device that several ranks drive, the first two of these ranks: one's work may prevent the other's from
/// running.
class SharedDevices {
 public:
  explicit SharedDevices(const ProbeRequest& request) : uuid_(request.uuid) {
    std::map<std::string, std::set<rank_id>> drivers;
    for (const auto& slot : request.placement->slots) drivers[name(slot)].insert(slot.rank);
    for (const auto& [device, ranks] : drivers) {
      if (ranks.size() > 1) shared_[device] = {*ranks.begin(), *std::next(ranks.begin())};
    }
  }
  [[nodiscard]] Verdict alone(const placement::Slot& slot) const {
    const auto shared = shared_.find(name(slot));
    if (shared == shared_.end()) return Verdict::of(true);
    return Verdict::of(false,
                       fmt::format("rank {} and rank {} share device {} of node {}", shared->second.first.value(),
                                   shared->second.second.value(), slot.device.value(), slot.node.value()));
  }

 private:
  /// Virtual nodes of one host may have the same device under two numbers.
  [[nodiscard]] std::string name(const placement::Slot& slot) const {
    std::string uuid = uuid_ ? uuid_(slot) : std::string();
    return uuid.empty() ? fmt::format("{} of {}", slot.device.value(), slot.node.value()) : uuid;
  }

  const std::function<std::string(const placement::Slot&)>& uuid_;
  std::map<std::string, std::pair<rank_id, rank_id>> shared_;
};

/// The first verdict that is no; otherwise yes.
Verdict all_of(std::initializer_list<Verdict> answers) {
  for (const Verdict& answer : answers) {
    if (!answer.yes) return answer;
  }
  return Verdict::of(true);
}

/// The facts about itself that a rank sends to its neighbours.
struct Told {
  Verdict overlapping_launches;
  Verdict communicators;
  std::map<subdomain_id, Verdict> exportable;
  std::map<int, device::MemoryHandle> handles;                                    // by device
  std::map<subdomain_id, std::vector<std::vector<device::MemoryHandle>>> arrays;  // the pieces of the user's own
};

auto members(MaybeConst<Told> auto& told) {
  return std::tie(told.overlapping_launches, told.communicators, told.exportable, told.handles, told.arrays);
}

/// What a rank tried with another's memory.
struct Mapped {
  Verdict trial;
  Verdict arrays;  ///< of the owner's user
};

auto members(MaybeConst<Mapped> auto& mapped) { return std::tie(mapped.trial, mapped.arrays); }

std::set<PairKey> pairs_of(const ProbeRequest& request, const std::vector<subdomain_id>& mine) {
  std::set<PairKey> pairs;
  for (const subdomain_id s : mine) {
    for (const auto& message : partition::outgoing(*request.geometry, s)) pairs.insert({message.from, message.to});
    for (const auto& message : partition::incoming(*request.geometry, s)) pairs.insert({message.from, message.to});
  }
  return pairs;
}

/// Whether the arrays of a subdomain of this rank can be stored to by other devices of the rank.
Verdict storable_of(const ProbeRequest& request, const std::vector<subdomain_id>& mine, subdomain_id id) {
  if (request.storable.empty()) return Verdict::of(true);
  return request.storable.at(static_cast<std::size_t>(std::ranges::find(mine, id) - mine.begin()));
}

/// Whether the memory of one of two devices of different ranks may be mapped for the other, which a trial then shows.
bool may_map(const ProbeRequest& request, const placement::Slot& near, const placement::Slot& far) {
  return near.node == far.node || (request.share_load_store && request.share_load_store(near, far));
}

/// Whether this rank's devices can be in a communicator.
Verdict communicators_of(const ProbeRequest& request, const placement::Placement& placement,
                         const std::vector<subdomain_id>& mine) {
  if (!request.communicators) return Verdict::of(false, "no policy lists nccl");
  if (request.backend->kind() == DeviceKind::host && request.comm->size() > 1 &&
      request.comm->backend() != comm::CommBackend::threads) {
    return Verdict::of(false, "host devices emulate it between ranks that are threads only");
  }
  std::map<int, subdomain_id> of_device;
  for (const subdomain_id id : mine) {
    const auto [found, is_new] = of_device.try_emplace(placement.of(id).ordinal, id);
    if (!is_new) {
      return Verdict::of(
          false, fmt::format("device {} has subdomains {} and {}", found->first, found->second.value(), id.value()));
    }
  }
  return request.backend->communicators();
}

}  // namespace

FactTable probe_pairs(const ProbeRequest& request) {
  comm::RankGroup& comm = *request.comm;
  const rank_id me = comm.rank();
  const auto& placement = *request.placement;
  const auto mine = placement.of_rank(me);
  const auto pairs = pairs_of(request, mine);

  std::set<int> devices;
  for (const subdomain_id s : mine) devices.insert(placement.of(s).ordinal);
  const Verdict device_mpi = try_device_mpi(comm, *request.backend, devices.empty() ? 0 : *devices.begin());

  TrialOwner trial;
  Told own;
  std::map<rank_id, std::vector<std::byte>> to_neighbours;
  comm::agree_on(comm, [&] {
    trial.make(*request.backend, me, devices);
    own.overlapping_launches = request.backend->overlapping_launches();
    own.communicators = communicators_of(request, placement, mine);
    for (std::size_t i = 0; i < mine.size(); ++i) own.exportable[mine[i]] = request.exportable[i];
    own.handles = trial->handles();
    for (const LocalSubdomain& subdomain : request.subdomains) {
      for (const auto& buffers : subdomain.exported) {
        for (const ExportedArray& array : buffers) {
          if (!array.pieces.empty()) own.arrays[subdomain.id].push_back(array.pieces);
        }
      }
    }
    const std::vector<std::byte> words = to_bytes(own);
    for (const PairKey& pair : pairs) {
      for (const subdomain_id s : {pair.from, pair.to}) to_neighbours.emplace(placement.of(s).rank, words);
    }
  });
  std::map<rank_id, Told> told;
  for (const auto& [rank, bytes] : exchange_blobs(comm, to_neighbours)) told[rank] = from_bytes<Told>(bytes);

  // Each rank tries to map what its own devices would need, and sends the result to the other end of each pair.
  using MappedPairs = std::map<PairKey, Mapped>;  // (mapper's subdomain, owner's subdomain)
  MappedPairs mapped;
  std::map<rank_id, std::vector<std::byte>> results;
  comm::agree_on(comm, [&] {
    std::map<rank_id, MappedPairs> mapped_of;
    for (const auto& [rank, bytes] : to_neighbours) mapped_of[rank];
    for (const PairKey& pair : pairs) {
      for (const auto& [near, far] : {std::pair(pair.from, pair.to), std::pair(pair.to, pair.from)}) {
        const auto& near_slot = placement.of(near);
        const auto& far_slot = placement.of(far);
        if (near_slot.rank != me || far_slot.rank == me || !may_map(request, near_slot, far_slot)) continue;
        if (mapped.contains({near, far})) continue;
        const auto& handles = told.at(far_slot.rank).handles;
        Mapped answer{trial->map(near_slot.ordinal, handles.at(far_slot.ordinal), far_slot.rank, far_slot.ordinal),
                      Verdict::of(true)};
        const auto& arrays = told.at(far_slot.rank).arrays;
        if (answer.trial.yes && pairs.contains({near, far}) && arrays.contains(far)) {
          answer.arrays = trial->map_arrays(near_slot.ordinal, arrays.at(far), far_slot.rank, request.kept);
        }
        mapped[{near, far}] = answer;
        mapped_of[far_slot.rank][{near, far}] = answer;
      }
    }
    for (const auto& [rank, of_rank] : mapped_of) results[rank] = to_bytes(of_rank);
  });
  // From here on no rank maps this rank's trial memory.
  for (const auto& [rank, bytes] : exchange_blobs(comm, results)) {
    mapped.merge(from_bytes<MappedPairs>(bytes));
  }

  const SharedDevices shared(request);
  FactTable table;
  for (const PairKey& pair : pairs) {
    const auto& from = placement.of(pair.from);
    const auto& to = placement.of(pair.to);
    routing::PairFacts facts;
    facts.same_subdomain = pair.from == pair.to;
    facts.same_rank = from.rank == to.rank;
    facts.same_node = from.node == to.node;
    facts.same_device = facts.same_node && from.device == to.device;
    facts.shares_load_store = facts.same_rank || may_map(request, from, to);
    facts.peer_access = facts.same_rank ? request.backend->peer_access(from.ordinal, to.ordinal)
                                        : Verdict::of(false, "another process");
    if (facts.same_rank) {
      facts.mapped = facts.peer_access;  // one address space: only access matters
    } else if (facts.shares_load_store) {
      const Mapped& there = mapped.at({pair.from, pair.to});
      facts.mapped = all_of({there.trial, mapped.at({pair.to, pair.from}).trial});
      facts.exportable = there.arrays;
    } else {
      facts.mapped = Verdict::of(false, "another node");
    }
    const Verdict& exported = told.at(to.rank).exportable.at(pair.to);
    if (!exported.yes || !facts.shares_load_store || facts.same_rank) facts.exportable = exported;
    if (facts.same_rank) facts.storable = storable_of(request, mine, pair.to);
    const bool copied_by_host = facts.same_rank && request.backend->kind() != DeviceKind::host;
    facts.device_mpi =
        copied_by_host ? Verdict::of(false, "a rank's messages to itself are copied by the host") : device_mpi;
    facts.direct_safe = all_of({shared.alone(from), shared.alone(to), told.at(from.rank).overlapping_launches,
                                told.at(to.rank).overlapping_launches});
    facts.nccl = all_of(
        {shared.alone(from), shared.alone(to), told.at(from.rank).communicators, told.at(to.rank).communicators});
    facts.mpi = comm.backend() != comm::CommBackend::store;  // through which halos would go by one server
    table[pair] = facts;
  }
  return table;
}

}  // namespace exchange
}  // namespace halocline
