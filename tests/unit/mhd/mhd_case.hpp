// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comm/local_ranks.hpp"
#include "exchange/exchange.hpp"
#include "halocline/session.hpp"
#include "mhd/mhd.hpp"

namespace mhd_test {

struct Shape {
  halocline::Vec3 extent{16, 16, 16};
  int order = 6;
  int ranks = 1;
  int devices = 1;  ///< of each rank
  std::string transports = {};
  halocline::exchange::Messages messages = halocline::exchange::Messages::by_neighbour;
  std::optional<halocline::partition::Method> partition = {};
  halocline::Boundaries boundaries = mhd::boundaries;
  int substeps = 1;  ///< for an exchange
  std::optional<halocline::Element> wire = {};
};

/// Runs body with a solver on each rank; ranks are threads, a single rank is the calling thread.
template <typename T>
void on_solvers(const Shape& shape, const mhd::Parameters& parameters, const mhd::ForcingSettings& forcing,
                const std::function<void(halocline::Domain&, mhd::Solver<T>&)>& body) {
  const auto one = [&](halocline::comm::RankGroup& comm) {
    halocline::DomainOptions options;
    options.devices.per_rank = shape.devices;
    options.boundaries = shape.boundaries;
    if (!shape.transports.empty()) options.routing.policy = halocline::routing::Policy::parse(shape.transports);
    options.routing.messages = shape.messages;
    options.steps_per_exchange = shape.substeps;
    options.partition.method = shape.partition.value_or(options.partition.method);
    halocline::Domain domain(shape.extent, mhd::stencil(shape.order), comm, options);
    const auto state = mhd::add_fields<T>(domain, shape.wire);
    domain.realize();
    {
      mhd::Solver<T> solver(domain, state, parameters, shape.order, forcing);
      body(domain, solver);
    }
    domain.close();
  };
  if (shape.ranks > 1) return halocline::comm::run_as_threads(shape.ranks, one);
  const auto serial = halocline::comm::serial();
  one(*serial);
}

/// The fluid on cells of size 2 pi / extent.x.
inline mhd::Parameters fluid(const halocline::Vec3& extent) {
  mhd::Parameters parameters;
  parameters.spacing = mhd::default_spacing(extent);
  return parameters;
}

inline mhd::Parameters without_diffusion(mhd::Parameters parameters) {
  parameters.viscosity = parameters.bulk_viscosity = parameters.diffusivity = parameters.conductivity = 0;
  return parameters;
}

template <typename T>
using Fields = std::array<std::vector<T>, mhd::field_count>;

/// On rank 0; elsewhere empty.
template <typename T>
Fields<T> gather(mhd::Solver<T>& solver) {
  Fields<T> fields;
  for (int i = 0; i < mhd::field_count; ++i) fields[static_cast<std::size_t>(i)] = solver.gather(i);
  return fields;
}

}  // namespace mhd_test
