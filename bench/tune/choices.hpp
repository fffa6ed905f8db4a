// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/rank_group.hpp"
#include "halocline/domain.hpp"
#include "io/tuning_cache.hpp"

namespace halocline::bench {

/// A domain that is exchanged in every way.
struct TuneCase {
  Vec3 extent;
  Stencil stencil;
  std::vector<FieldDescriptor> fields;
  DomainOptions options;
};

/// The case's domain with some settings; realized.
[[nodiscard]] std::unique_ptr<Domain> domain_with(comm::RankGroup& world, const TuneCase& tried,
                                                  const io::Settings& settings);

/// All settings: each transport first or none, each kind of messages, each grid that the planner has, rows packed or not; the default
/// among them. Collective.
[[nodiscard]] std::vector<io::Settings> all_choices(comm::RankGroup& world, const TuneCase& tried);

/// Settings with the samples of their exchanges.
struct Timed {
  io::Settings settings;
  std::unique_ptr<Domain> domain;
  std::vector<double> seconds{};
  [[nodiscard]] double median_of(std::size_t parity) const;  ///< of the samples with even or odd numbers
  [[nodiscard]] double median() const;
};

/// Adds a sample of each in turn, `rounds` times: seconds of one of so many exchanges, the slowest rank's.
void time_in_turns(comm::RankGroup& world, std::vector<Timed>& all, int rounds, std::int64_t exchanges);

}  // namespace halocline::bench
