// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/hash.hpp"
#include "halocline/communicator.hpp"
#include "halocline/domain.hpp"
#include "plan/plan.hpp"

namespace halocline {

/// A value that must be the same on all ranks: its name, as people read it, and the hash of all that counts.
struct NamedValue {
  std::string name;
  std::string text;
  std::uint64_t hash = 0;
};
/// Where the text is all of it.
[[nodiscard]] NamedValue named(std::string name, std::string text);

/// Collective. Where ranks give different values, throws the same InvalidArgument on all of them, which names what differs:
/// "radius: rank 0 has 2, rank 1 has 1". Costs one all_gather of a hash where all agree.
void check_alike(comm::Communicator& comm, std::span<const NamedValue> mine);

/// What a plan starts from, but the machine.
[[nodiscard]] std::vector<NamedValue> values_of(const PlanRequest& request);
[[nodiscard]] NamedValue value_of(const machine::MachineMap& machine);
/// The options that must be the same on all ranks and are not part of a PlanRequest.
[[nodiscard]] std::vector<NamedValue> values_of(const DomainOptions& options);

}  // namespace halocline
