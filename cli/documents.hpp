// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "context.hpp"
#include "long_document.hpp"
#include "planning.hpp"
#include "statistics.hpp"

/// Parts of documents for programs, and of tables for people, that several commands share.
namespace cli {

/// [x, y, z]
[[nodiscard]] Json json_of(const halocline::Vec3& v);
/// The domain as the flags describe it: extent, radius, fields, staggered and open dimensions.
[[nodiscard]] Json domain_json(const Options& options);
/// Numbers of nodes, ranks and devices, and the name; the whole map is `halocline machine`'s business.
[[nodiscard]] Json machine_summary(const halocline::machine::MachineMap& map);
/// Extent, the two grids, order, cuts, and each subdomain's node part and box.
[[nodiscard]] Json partition_json(const halocline::partition::Partition& partition);
/// The same with the plan's partition method.
[[nodiscard]] Json partition_json(const halocline::Plan& plan);
/// Costs, and each subdomain's rank, node, device and ordinal.
[[nodiscard]] Json placement_json(const halocline::placement::Placement& placement);
/// The same with the plan's placement method, and simulated times where it has them; costs are null where nothing was minimised.
[[nodiscard]] Json placement_json(const halocline::Plan& plan);
/// The routes have to stay.
[[nodiscard]] LongList routes_list(std::span<const halocline::RoutedMessage> routes);
[[nodiscard]] Json routes_json(std::span<const halocline::RoutedMessage> routes);
[[nodiscard]] Json shares_json(std::span<const Share> shares);
/// What --messages auto chose, and the predictions.
[[nodiscard]] Json messages_json(const halocline::MessageRanking& ranking);
/// Keys end in _s: seconds.
[[nodiscard]] Json statistics_json(const Statistics& statistics);

/// "host", "cuda"
[[nodiscard]] std::string backend_name(const halocline::Domain& domain);
/// "host devices", or the name of this rank's first GPU
[[nodiscard]] std::string devices_text(const halocline::Domain& domain);

/// One row a transport, with its part of all bytes.
[[nodiscard]] std::string shares_table(std::span<const Share> shares);
/// What a step's part of an exchange is, as a line; nothing where an exchange serves one step.
[[nodiscard]] std::string share_of_step_text(std::span<const Share> shares, int steps_per_exchange);

}  // namespace cli
