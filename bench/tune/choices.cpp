// SPDX-License-Identifier: BSD-3-Clause
#include "tune/choices.hpp"

#include <chrono>

#include "core/median.hpp"
#include "domain/internals.hpp"
#include "domain/tuned_options.hpp"
#include "halocline/error.hpp"
#include "plan/plan.hpp"
#include "routing/messages.hpp"
#include "tune/candidates.hpp"

namespace halocline::bench {
namespace {

/// Every combination of what there is and what comes next.
void combine(std::vector<io::Settings>& all, const std::vector<io::Settings>& with) {
  std::vector<io::Settings> combined;
  for (const io::Settings& before : all) {
    for (io::Settings more : with) {
      more.insert(before.begin(), before.end());
      combined.push_back(std::move(more));
    }
  }
  all = std::move(combined);
}

}  // namespace

std::unique_ptr<Domain> domain_with(comm::RankGroup& world, const TuneCase& tried, const io::Settings& settings) {
  auto domain = std::make_unique<Domain>(tried.extent, tried.stencil, world, with_settings(tried.options, settings));
  for (const FieldDescriptor& field : tried.fields) domain->add_field(field);
  domain->realize();
  return domain;
}

std::vector<io::Settings> all_choices(comm::RankGroup& world, const TuneCase& tried) {
  const auto domain = domain_with(world, tried, {});
  const Plan& plan = internals(*domain).plan();
  PlanRequest request;
  request.extent = tried.extent;
  request.stencil = tried.stencil;
  request.fields = tried.fields;
  request.machine = plan.machine;
  std::vector<io::Settings> grids;
  for (const Candidate& candidate : candidates(request).list) {
    const auto& parts = candidate.partition;
    const bool is_default = parts.node_grid() == plan.geometry.partition.node_grid() &&
                            parts.device_grid() == plan.geometry.partition.device_grid();
    grids.push_back(is_default ? io::Settings{} : tune::settings_of_grid(parts));
  }
  std::vector<io::Settings> all{{}};
  combine(all, grids);
  std::vector<io::Settings> transports{{}};
  for (const auto transport : routing::Policy{}.order) {
    if (transport != routing::Transport::self)
      transports.push_back({{"first-transport", std::string(to_string(transport))}});
  }
  combine(all, transports);
  std::vector<io::Settings> messages;
  for (const auto one : routing::fixed_messages) {
    messages.push_back(one == routing::fixed_messages.front()
                           ? io::Settings{}
                           : io::Settings{{"messages", std::string(to_string(one))}});
  }
  combine(all, messages);
  combine(all, {{}, {{"pack-short-rows-from-bytes", "0"}}});
  domain->close();
  return all;
}

double Timed::median_of(std::size_t parity) const {
  std::vector<double> some;
  for (std::size_t i = parity; i < seconds.size(); i += 2) some.push_back(seconds[i]);
  return halocline::median(some);
}

double Timed::median() const { return halocline::median(seconds); }

void time_in_turns(comm::RankGroup& world, std::vector<Timed>& all, int rounds, std::int64_t exchanges) {
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      Timed& one = all[(i + static_cast<std::size_t>(round)) % all.size()];
      world.barrier();
      const auto begin = std::chrono::steady_clock::now();
      for (std::int64_t n = 0; n < exchanges; ++n) one.domain->exchange();
      one.domain->synchronize();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      one.seconds.push_back(world.all_reduce(took.count() / static_cast<double>(exchanges), comm::Reduction::max));
    }
  }
}

}  // namespace halocline::bench
