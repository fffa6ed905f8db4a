// SPDX-License-Identifier: BSD-3-Clause
#include "mhd/prediction.hpp"
#include "domain/internals.hpp"

#include <algorithm>

#include "model/closed_form.hpp"

namespace mhd {

namespace {

/// The part of a step's computation that belongs to substeps which begin with an exchange: the others have nothing to hide.
double share_with_exchange(halocline::Domain& domain) {
  std::int64_t first = 0;
  std::int64_t all = 0;
  for (const auto& subdomain : domain.subdomains()) {
    first += subdomain.update_box(0).volume();
    for (int i = 0; i < domain.plan().steps_per_exchange; ++i) all += subdomain.update_box(i).volume();
  }
  return all > 0 ? static_cast<double>(first) / static_cast<double>(all) : 1;
}

}  // namespace

Prediction predict(halocline::Domain& domain, int order, const Parts& parts, std::optional<double> of_update) {
  const auto& partition = internals(domain).geometry().partition;
  const auto cells = static_cast<double>(partition.extent().volume()) / static_cast<double>(partition.size());
  const int served = domain.plan().steps_per_exchange;
  const halocline::model::ClosedFormCase even{partition.extent(), partition.node_grid(), partition.device_grid(),
                                              static_cast<std::int64_t>(served) * (order / 2)};
  // With a second for each cell, the closed form counts them.
  halocline::model::ClosedFormConstants count;
  count.within_node.seconds_per_cell = 1;
  count.between_nodes.seconds_per_cell = 1;
  const auto counted = halocline::model::closed_form_of_device(even, count);
  const double halo = std::max(counted.within_node, counted.between_nodes);
  Prediction prediction;
  prediction.seconds_per_update = of_update.value_or(parts.compute / cells);
  // One of a step's exchanges stands for `served` of them.
  const double per_cell = halo > 0 ? parts.exchange / halo : 0;
  prediction.seconds_per_cell = served * per_cell;

  halocline::model::ClosedFormConstants measured;
  const double share = share_with_exchange(domain);
  measured.seconds_per_update = share * prediction.seconds_per_update;
  measured.within_node.seconds_per_cell = per_cell;
  measured.between_nodes.seconds_per_cell = per_cell;
  prediction.step = halocline::model::closed_form_of_device(even, measured).seconds +
                    (1 - share) * cells * prediction.seconds_per_update;
  return prediction;
}

}  // namespace mhd
