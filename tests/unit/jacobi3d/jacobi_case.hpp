// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

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
using jacobi3d::Halos;

struct Shape {
  Vec3 extent;
  int ranks = 1;
  int devices = 1;  ///< of each rank
  Halos halos = Halos::overlapped;
  int steps = 6;
  std::string transports = {};
  bool graph = false;
  int steps_per_exchange = 1;
  bool launch_threads = false;
  halocline::Boundaries boundaries = halocline::all_periodic;
};

/// Runs body with a realized domain on each rank; ranks are threads, a single rank is the calling thread.
template <typename T>
void on_domains(const Shape& shape, const std::function<void(Domain&, halocline::Field<T>)>& body) {
  const auto one = [&](halocline::comm::RankGroup& comm) {
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

/// Expects that a run has the bits of the serial solution; checked on rank 0.
template <typename T>
void expect_serial_solution(const Shape& shape) {
  SCOPED_TRACE(to_string(shape.extent) + ", " + std::to_string(shape.ranks) + " ranks of " +
               std::to_string(shape.devices) + ", halos " + std::string(to_string(shape.halos)) + ", " +
               std::to_string(shape.steps) + (shape.graph ? " steps as a graph " : " steps ") + shape.transports +
               ", steps_per_exchange " + std::to_string(shape.steps_per_exchange) +
               (shape.boundaries[0] == halocline::Boundary::periodic_in_kernel ? ", x wrapped" : ""));
  const auto expected = jacobi3d::solve_serially<T>(shape.extent, shape.steps);
  int roots = 0;
  on_domains<T>(shape, [&](Domain& domain, halocline::Field<T> field) {
    jacobi3d::Solver<T> solver(domain, field);
    solver.initialise();
    jacobi3d::Settings settings;
    settings.steps = shape.steps;
    settings.halos = shape.halos;
    settings.graph = shape.graph;
    solver.run(settings);
    const auto all = solver.gather(halocline::Box::of_extent(shape.extent));
    if (domain.plan().comm.rank().value() != 0) {
      EXPECT_TRUE(all.empty());
      return;
    }
    ++roots;
    EXPECT_TRUE(same_bits(all, expected));
  });
  EXPECT_EQ(roots, 1);
}

}  // namespace jacobi3d_test
