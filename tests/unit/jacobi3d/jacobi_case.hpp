// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "comm/local_ranks.hpp"
#include "domain/internals.hpp"
#include "halocline/session.hpp"
#include "jacobi3d/jacobi3d.hpp"

namespace jacobi3d_test {

using halocline::Domain;
using halocline::DomainOptions;
using halocline::Vec3;

struct Shape {
  Vec3 extent;
  int ranks = 1;
  int devices = 1;  ///< of each rank
  jacobi3d::Halos halos = jacobi3d::Halos::overlapped;
  int steps = 6;
  std::string transports = {};
  bool graph = false;
  int steps_per_exchange = 1;
  bool launch_threads = false;
  halocline::Boundaries boundaries = halocline::all_periodic;
};

/// Runs body with a realised domain on each of the ranks, which are threads; a single one is this thread.
template <typename T>
void on_domains(const Shape& shape, const std::function<void(Domain&, halocline::Field<T>)>& body) {
  const auto one = [&](halocline::comm::Communicator& comm) {
    DomainOptions options;
    options.devices.per_rank = shape.devices;
    options.steps_per_exchange = shape.steps_per_exchange;
    set_launch_threads(options, shape.launch_threads);
    options.boundaries = shape.boundaries;
    if (!shape.transports.empty()) options.routing.policy = halocline::routing::Policy::parse(shape.transports);
    Domain domain(shape.extent, jacobi3d::stencil(), comm, options);
    const auto field = domain.add_field<T>("t", {.buffers = 2});
    domain.realize();
    body(domain, field);
    domain.close();
  };
  if (shape.ranks > 1) return halocline::comm::run_as_threads(shape.ranks, one);
  const auto serial = halocline::comm::serial();
  one(*serial);
}

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

}  // namespace jacobi3d_test
