// SPDX-License-Identifier: BSD-3-Clause
// The complete solver, and which GPUs ranks get.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>

#include "comm/local_ranks.hpp"
#include "device/cuda_backend.hpp"
#include "domain/internals.hpp"
#include "gpu/exchange/gpus.hpp"
#include "halocline/halocline.hpp"
#include "halocline/session.hpp"
#include "jacobi3d/jacobi3d.hpp"

namespace {

using namespace halocline;
using jacobi3d::Halos;

template <typename T>
void expect_serial_solution(comm::RankGroup& comm, const Vec3& extent, const DomainOptions& options, Halos halos,
                            bool graph = false) {
  Domain domain(extent, jacobi3d::stencil(), comm, options);
  const auto field = domain.add_field<T>("t", {.buffers = 2});
  domain.realize();
  EXPECT_EQ(internals(domain).backend().kind(), halocline::DeviceKind::cuda);
  {
    jacobi3d::Solver<T> solver(domain, field);
    solver.initialise();
    jacobi3d::Settings settings;
    settings.steps = graph ? 52 : 21;
    settings.halos = halos;
    settings.graph = graph;
    settings.residual_every = graph ? 50 : 10;
    const auto result = solver.run(settings);
    EXPECT_GT(result.residual->max, 0);
    ASSERT_EQ(result.timings.parts.has_value(), !graph && halos != Halos::awaited);
    if (result.timings.parts) {
      EXPECT_GT(result.timings.parts->compute.count(), 0);
      EXPECT_GT(result.timings.parts->exchange.count(), 0);
      EXPECT_LE(result.timings.parts->compute + result.timings.parts->exchange, result.timings.total);
    }
    const auto check = jacobi3d::check(domain, solver, settings.steps);
    EXPECT_TRUE(check.passed()) << check.different << " of " << check.cells << " cells differ";
  }
  domain.close();
}

TEST(JacobiOnGpus, agrees_with_the_serial_solution_bit_for_bit_on_as_many_as_there_are) {
  HALOCLINE_NEEDS_GPUS(1);
  DomainOptions options;
  options.devices.kind = halocline::DeviceKind::cuda;
  const auto comm = comm::serial();
  for (int devices = 1; devices <= halocline::test::gpu_count(); ++devices) {
    options.devices.per_rank = devices;
    for (const auto& boundaries : {all_periodic, jacobi3d::boundaries}) {
      options.boundaries = boundaries;
      for (const Halos halos : {Halos::exchanged, Halos::overlapped, Halos::awaited}) {
        for (const Vec3& extent : {Vec3{70, 45, 38}, {128, 37, 30}, {256, 20, 41}, {6, 40, 90}}) {
          expect_serial_solution<float>(*comm, extent, options, halos);
        }
        expect_serial_solution<double>(*comm, {33, 64, 50}, options, halos);
        expect_serial_solution<float>(*comm, {128, 37, 30}, options, halos, true);
      }
    }
  }
}

TEST(JacobiOnGpus, agrees_whatever_the_steps_per_exchange) {
  HALOCLINE_NEEDS_GPUS(1);
  DomainOptions options;
  options.devices.kind = halocline::DeviceKind::cuda;
  options.devices.per_rank = halocline::test::gpu_count();
  const auto comm = comm::serial();
  for (const int steps_per_exchange : {2, 3, 4, 5}) {
    options.steps_per_exchange = steps_per_exchange;
    options.boundaries = steps_per_exchange % 2 == 0 ? all_periodic : jacobi3d::boundaries;
    SCOPED_TRACE(steps_per_exchange);
    for (const Halos halos : {Halos::exchanged, Halos::overlapped}) {
      expect_serial_solution<float>(*comm, {70, 45, 38}, options, halos);
      expect_serial_solution<double>(*comm, {33, 64, 50}, options, halos);
      expect_serial_solution<float>(*comm, {70, 45, 38}, options, halos, true);
    }
  }
}

TEST(JacobiOnGpus, with_every_transport) {
  HALOCLINE_NEEDS_GPUS(2);
  const auto comm = comm::serial();
  for (const char* transports : {"peer_copy,self", "mpi_staged", "direct,self"}) {
    DomainOptions options;
    options.devices.kind = halocline::DeviceKind::cuda;
    options.devices.per_rank = 2;
    options.routing.policy = routing::Policy::parse(transports);
    SCOPED_TRACE(transports);
    for (const Halos halos : {Halos::overlapped, Halos::awaited}) {
      expect_serial_solution<float>(*comm, {70, 45, 38}, options, halos);
    }
  }
}

TEST(RanksOnGpus, have_each_their_own_and_all_of_them) {
  HALOCLINE_NEEDS_GPUS(2);
  std::mutex mutex;
  std::multiset<std::string> uuids;
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    const auto backend = make_devices(comm, {.kind = halocline::DeviceKind::cuda}).backend();
    const std::lock_guard lock(mutex);
    for (int d = 0; d < backend->device_count(); ++d) uuids.insert(backend->info(d).uuid);
  });
  std::multiset<std::string> expected;
  for (const auto& gpu : device::cuda_devices()) expected.insert(gpu.uuid);
  EXPECT_EQ(uuids, expected);
}

TEST(RanksOnGpus, are_told_how_many_there_are) {
  HALOCLINE_NEEDS_GPUS(1);
  const auto comm = comm::serial();
  try {
    static_cast<void>(make_devices(*comm, {.kind = halocline::DeviceKind::cuda, .per_rank = 64}));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("devices per rank is 64; allowed is 1"), std::string::npos)
        << error.what();
  }
}

}  // namespace
