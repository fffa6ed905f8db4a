// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "comm/rank_group.hpp"
#include "core/hash.hpp"
#include "domain/detail/reductions.hpp"
#include "halocline/domain.hpp"
#include "plan/plan.hpp"

namespace halocline {

/// A value that must be the same on all ranks: its name, its text for errors, and a hash of everything that is
/// compared.
struct NamedValue {
  std::string name;
  std::string text;
  std::uint64_t hash = 0;
};
/// A value that its text represents completely.
[[nodiscard]] NamedValue named(std::string name, std::string text);

/// Collective. If ranks pass different values, throws the same InvalidArgument on all of them, which names the
/// difference: "radius: rank 0 has 2, ranks 1, 3 have 1", where the other ranks have rank 0's. Costs one all_gather of a hash if all agree.
void check_alike(comm::RankGroup& comm, std::span<const NamedValue> mine);

/// The inputs of a plan, except the machine.
[[nodiscard]] std::vector<NamedValue> values_of(const PlanRequest& request);
[[nodiscard]] NamedValue value_of(const machine::MachineMap& machine);
[[nodiscard]] NamedValue value_of(std::span<const Reductions::Item> reductions,
                                  std::span<const FieldDescriptor> fields);
/// The options that must be the same on all ranks and are not part of a PlanRequest.
[[nodiscard]] std::vector<NamedValue> values_of(const DomainOptions& options);

}  // namespace halocline
