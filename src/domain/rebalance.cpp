// SPDX-License-Identifier: BSD-3-Clause
// A new partition during a run.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "comm/agree.hpp"
#include "comm/gather.hpp"
#include "comm/phase.hpp"
#include "discovery/speeds.hpp"
#include "domain/detail/domain_impl.hpp"
#include "domain/detail/moved_cells.hpp"
#include "domain/detail/snapshot.hpp"

namespace halocline {

void Domain::Impl::check_can_rebalance() {
  check_idle("rebalance()");
  const auto refuse = [](const std::string& what, const char* allowed) {
    throw InvalidArgument(fmt::format("rebalance() of a domain {}; allowed is one {}", what, allowed));
  };
  if (owned_boxes) refuse("of OwnedBoxes", "that Halocline partitions");
  if (options.partition.cuts) refuse("with given cuts", "that Halocline partitions");
  if (!user_arrays.empty()) {
    const auto& [field, subdomain] = user_arrays.begin()->first;
    refuse(fmt::format("in which field '{}' of subdomain {} is the user's own array", fields[field.index()].name,
                       subdomain.value()),
           "without own arrays");
  }
  if (capturing) refuse("that captures steps", "whose capture is finished");
  std::erase_if(graphs, [](const auto& one) { return one.expired(); });
  if (!graphs.empty()) refuse(fmt::format("of which {} graphs exist", graphs.size()), "without graphs");
}

void Domain::Impl::rebalance(std::span<const double> speeds, const std::string& from) {
  std::optional<Plan> next;
  comm::agree_on(*comm, [&] {
    if (speeds.size() == mine.size()) return;
    throw InvalidArgument(fmt::format("number of speeds is {}; allowed is one for each of this rank's {} devices",
                                      speeds.size(), mine.size()));
  });
  const auto all = comm::gather(*comm, std::vector<double>(speeds.begin(), speeds.end()));
  comm::agree_on(*comm, [&] {
    PlanRequest request = plan_request();
    request.machine = plan->machine;
    request.weights.clear();
    for (const auto& some : all) request.speeds.insert(request.speeds.end(), some.begin(), some.end());
    request.speeds_from = from;
    next = halocline::make_plan(request);
  });
  const bool same =
      next->geometry.partition == plan->geometry.partition && next->placement.slots == plan->placement.slots;
  if (same) {
    plan->balance = std::move(next->balance);  // the exchange refers to the rest
    return;
  }
  rebalance_as(*std::move(next));
}

/// Not undone after a failure from here on. Arrays are freed before others are allocated, as devices need not hold both.
void Domain::Impl::rebalance_as(Plan next) {
  std::vector<Snapshot::Item> items;
  for (const field_id id : all_fields()) {
    for (int ahead = 0; ahead < field(id).buffers; ++ahead) items.push_back({id, ahead});
  }
  std::unique_ptr<Snapshot> before;
  // A failure is the exchange's only when the ranks have agreed on it, for which they need their group.
  exchange->guard([&] {
    comm::agree_on(*comm, [&] {
      before = Snapshot::with_open_ends(*domain, items);
      before->download("rebalance()");
      before->wait();
    });
  });
  if (accumulation) accumulation->close(streams);
  if (reductions) reductions->close(streams);
  exchange->close(streams);
  accumulation.reset();
  reductions.reset();
  exchange.reset();
  boundary_updater.reset();
  together([&] {
    const Plan old = std::exchange(*plan, std::move(next));
    ++rebalanced;
    comm::agree_on(*comm, [&] {
      mine = plan->placement.of_rank(comm->rank());
      for (Local& local : locals) local.arena = {};
      for (std::size_t i = 0; i < mine.size(); ++i) {
        subdomains[i].id_ = mine[i];
        subdomains[i].owned_ = plan->geometry.partition.box_of(mine[i]);
        locals[i].arena = make_arena(*backend, subdomains[i].device_, plan->geometry, mine[i],
                                     std::vector<bool>(fields.size(), true));
        locals[i].arrays = locals[i].arena.arrays;
      }
      split(tiles);
      current.assign(fields.size(), 0);
      make_reductions();
    });
    route_and_connect();
    for (std::size_t item = 0; item < items.size(); ++item) {
      std::unique_ptr<Snapshot> after;
      comm::agree_on(*comm, [&] { after = Snapshot::with_halos(*domain, {items[item]}); });
      move_cells(*comm, *before, {&old.geometry, &old.placement}, item, *after, {&plan->geometry, &plan->placement});
      comm::agree_on(*comm, [&] { after->upload("rebalance()"); });
    }
  });
}

std::vector<double> Domain::Impl::own_part(const std::vector<double>& of_all) const {
  std::size_t first = 0;
  for (std::int64_t r = 0; r < comm->rank().value(); ++r) first += plan->placement.of_rank(rank_id(r)).size();
  const auto begin = of_all.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + std::ssize(mine)};
}

std::vector<double> Domain::measure(const std::function<void(const Subdomain&)>& kernel) {
  impl_->check_idle("measure()");
  const comm::Phase phase("measure()");
  impl_->begin_together();
  return impl_->collectively([&] {
    std::vector<machine::Trial> trials;
    for (const Subdomain& subdomain : impl_->subdomains) {
      trials.push_back({&subdomain.stream(), subdomain.owned().volume(), [&] { kernel(subdomain); }});
    }
    return impl_->own_part(machine::measure_speeds(*impl_->comm, *impl_->backend, trials).cells_per_second);
  });
}

void Domain::rebalance(std::span<const double> speeds) {
  impl_->check_realized("rebalance()");
  const comm::Phase phase("rebalance()");
  impl_->begin_together();
  impl_->collectively([&] {
    const auto given = comm::gather_value(*impl_->comm, !speeds.empty());
    comm::agree_on(*impl_->comm, [&] {
      impl_->check_can_rebalance();
      if (std::ranges::adjacent_find(given, std::not_equal_to()) == given.end()) return;
      const auto first = std::ranges::find(given, false) - given.begin();
      throw InvalidArgument(fmt::format(
          "rebalance() without speeds on rank {}, with speeds on others; allowed are speeds on all ranks, or on none",
          first));
    });
    if (!speeds.empty()) return impl_->rebalance(speeds, "given to rebalance()");
    const auto measured = machine::measure_speeds(*impl_->comm, *impl_->backend);
    impl_->rebalance(impl_->own_part(measured.cells_per_second), measured.text());
  });
}

}  // namespace halocline
