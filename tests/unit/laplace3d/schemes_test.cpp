// SPDX-License-Identifier: BSD-3-Clause
// All schemes against the serial solution, bit for bit, on host devices; and refused settings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "domain/internals.hpp"
#include "halocline/error.hpp"
#include "halocline/session.hpp"
#include "laplace3d/case.hpp"
#include "support/seeded.hpp"

namespace {

using halocline::DomainOptions;
using halocline::Vec3;
using laplace3d::Case;
using laplace3d::OwnOrder;
using laplace3d::Problem;
using laplace3d::SchemeKind;
using laplace3d::Stencil;
using testing::HasSubstr;

struct Shape {
  Vec3 extent;
  int devices = 1;
  int steps = 7;
  int steps_per_exchange = 1;
  Stencil stencil = Stencil::points7;
};

Problem problem_of(const Shape& shape) { return {shape.extent, shape.stencil, default_coefficients(shape.stencil)}; }

/// Runs twice in the same arrays, the second time on the first run's leftovers.
template <typename T>
void expect_serial_solution(halocline::comm::RankGroup& comm, const Shape& shape, SchemeKind scheme,
                            DomainOptions options) {
  SCOPED_TRACE(std::string(to_string(scheme)) + ", " + to_string(shape.extent) + " on " +
               std::to_string(shape.devices) + ", " + std::to_string(shape.steps) + " steps, steps_per_exchange " +
               std::to_string(shape.steps_per_exchange) + ", points " +
               std::to_string(static_cast<int>(shape.stencil)));
  options.devices.per_rank = shape.devices;
  options.steps_per_exchange = shape.steps_per_exchange;
  Case<T> on(comm, problem_of(shape), options);
  for (const int steps : {shape.steps, 2 * shape.steps}) {
    on.time(scheme, steps);
    const auto check = on.check(steps);
    EXPECT_TRUE(check.passed()) << check.different << " of " << check.cells << " cells differ after " << steps
                                << " steps, by at most " << check.largest_difference;
  }
  on.close();
}

template <typename T>
void expect_serial_solution(const Shape& shape, SchemeKind scheme, const DomainOptions& options = {}) {
  const auto comm = halocline::comm::serial();
  expect_serial_solution<T>(*comm, shape, scheme, options);
}

class LaplaceSchemes : public testing::TestWithParam<SchemeKind> {};

TEST_P(LaplaceSchemes, agree_with_the_serial_solution_on_1_2_4_and_8_devices) {
  for (const int devices : {1, 2, 4, 8}) {
    expect_serial_solution<double>({{17, 13, 24}, devices, 7}, GetParam());
  }
  expect_serial_solution<double>({{4, 5, 16}, 4, 12}, GetParam());
}

TEST_P(LaplaceSchemes, agree_on_odd_sizes_and_numbers_of_devices) {
  expect_serial_solution<double>({{1, 1, 9}, 3, 5}, GetParam());
  expect_serial_solution<double>({{31, 1, 15}, 5, 5}, GetParam());
  expect_serial_solution<float>({{3, 29, 21}, 7, 6}, GetParam());
}

TEST_P(LaplaceSchemes, agree_where_a_slab_is_its_two_sides_alone) {
  expect_serial_solution<double>({{6, 7, 8}, 4, 9}, GetParam());
  expect_serial_solution<double>({{6, 7, 16}, 4, 8, 2}, GetParam());
}

TEST_P(LaplaceSchemes, agree_with_19_points) {
  for (const int devices : {1, 4}) {
    expect_serial_solution<double>({{9, 8, 12}, devices, 5, 1, Stencil::points19}, GetParam());
    expect_serial_solution<float>({{5, 11, 16}, devices, 6, 2, Stencil::points19}, GetParam());
  }
}

TEST_P(LaplaceSchemes, agree_with_thick_ghost_regions) {
  for (const int steps_per_exchange : {2, 3, 4}) {
    for (const int devices : {2, 3}) {
      expect_serial_solution<double>({{7, 6, 24}, devices, 3 * steps_per_exchange, steps_per_exchange}, GetParam());
    }
  }
}

/// Delays queues at random, so that devices and threads overtake each other.
class Delays : public halocline::device::Injector {
 public:
  explicit Delays(std::uint64_t seed) : random_(seed) {}
  halocline::device::Injection before(halocline::device::Operation /*operation*/, int /*device*/) override {
    const std::lock_guard lock(mutex_);
    halocline::device::Injection injection;
    if (random_.chance(25)) injection.delay = std::chrono::microseconds(random_.between(0, 200));
    return injection;
  }

 private:
  std::mutex mutex_;
  halocline::test::Seeded random_;
};

TEST_P(LaplaceSchemes, agree_however_late_operations_are) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    for (const int steps_per_exchange : {1, 2}) {
      halocline::device::HostOptions host;
      host.devices = 4;
      host.injector = std::make_shared<Delays>(seed);
      DomainOptions options;
      options.devices.existing.emplace(halocline::device::make_host_backend(host));
      expect_serial_solution<double>({{5, 4, 24}, 4, 12, steps_per_exchange}, GetParam(), options);
    }
  }
}

TEST_P(LaplaceSchemes, agree_without_peer_access) {
  halocline::device::HostOptions host;
  host.devices = 3;
  host.peer_access = [](int, int) { return false; };
  DomainOptions options;
  options.devices.existing.emplace(halocline::device::make_host_backend(host));
  expect_serial_solution<double>({{5, 4, 12}, 3, 6}, GetParam(), options);
}

TEST_P(LaplaceSchemes, agree_with_a_launch_thread_for_each_device) {
  DomainOptions options;
  set_launch_threads(options, true);
  expect_serial_solution<double>({{17, 13, 24}, 4, 12}, GetParam(), options);
  expect_serial_solution<float>({{5, 4, 36}, 3, 6, 2}, GetParam(), options);
}

INSTANTIATE_TEST_SUITE_P(all, LaplaceSchemes, testing::ValuesIn(laplace3d::schemes_for(1)), [](const auto& tested) {
  std::string name(to_string(tested.param));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '+'; }, '_');
  return name;
});

/// For each order that prepare() may choose.
TEST(LaplaceOwnExchange, agrees_in_every_order_replayed_or_not) {
  const auto comm = halocline::comm::serial();
  for (const OwnOrder order : laplace3d::all_own_orders) {
    for (const bool recorded : {false, true}) {
      SCOPED_TRACE("order " + std::to_string(static_cast<int>(order)) + (recorded ? ", recorded" : ""));
      halocline::device::HostOptions host;
      host.devices = 3;
      host.graphs = true;
      DomainOptions options;
      options.devices.existing.emplace(halocline::device::make_host_backend(host));
      Case<double> on(*comm, {{7, 6, 18}}, options, laplace3d::OwnWay{order, recorded});
      on.prepare(SchemeKind::halocline);
      EXPECT_THAT(on.detail(SchemeKind::halocline), HasSubstr(recorded ? "in graphs" : "eager"));
      for (const int steps : {1, 3, 27, 40}) {
        on.time(SchemeKind::halocline, steps);
        EXPECT_TRUE(on.check(steps).passed()) << steps << " steps";
      }
      on.close();
    }
  }
}

TEST(LaplaceRanks, halocline_agrees_over_ranks_and_the_others_are_refused_by_name) {
  halocline::comm::run_as_threads(3, [](halocline::comm::RankGroup& comm) {
    expect_serial_solution<double>(comm, {{6, 5, 24}, 2, 8, 2}, SchemeKind::halocline, {});
    DomainOptions options;
    options.devices.per_rank = 1;
    for (const SchemeKind kind : laplace3d::schemes_for(1)) {
      if (kind == SchemeKind::halocline) continue;
      Case<double> on(comm, {{6, 5, 24}}, options);
      try {
        on.time(kind, 4);
        ADD_FAILURE() << to_string(kind) << " was not refused";
      } catch (const halocline::InvalidArgument& error) {
        EXPECT_THAT(error.what(), HasSubstr("scheme '" + std::string(to_string(kind)) + "'"));
        EXPECT_THAT(error.what(), HasSubstr("3 ranks"));
      }
      on.close();
    }
  });
}

/// The schemes with a process a device.
constexpr std::array mpi_schemes{SchemeKind::left_right_mpi, SchemeKind::pairwise_mpi};

TEST(LaplaceProcesses, agree_with_the_serial_solution_on_1_to_5_ranks) {
  for (const int ranks : {1, 2, 3, 4, 5}) {
    halocline::comm::run_as_threads(ranks, [&](halocline::comm::RankGroup& comm) {
      for (const SchemeKind kind : mpi_schemes) {
        expect_serial_solution<double>(comm, {{6, 5, 6 * ranks}, 1, 7}, kind, {});
        expect_serial_solution<double>(comm, {{3, 4, 2 * ranks}, 1, 8}, kind, {});
        expect_serial_solution<float>(comm, {{5, 7, 6 * ranks}, 1, 9, 3, Stencil::points19}, kind, {});
      }
    });
  }
}

TEST(LaplaceProcesses, agree_however_late_operations_are) {
  halocline::comm::run_as_threads(3, [&](halocline::comm::RankGroup& comm) {
    for (const SchemeKind kind : mpi_schemes) {
      halocline::device::HostOptions host;
      host.injector = std::make_shared<Delays>(static_cast<std::uint64_t>(comm.rank().value()) + 1);
      DomainOptions options;
      options.devices.existing.emplace(halocline::device::make_host_backend(host));
      expect_serial_solution<double>(comm, {{5, 4, 18}, 1, 12}, kind, options);
    }
  });
}

TEST(LaplaceProcesses, several_devices_of_a_rank_are_refused) {
  halocline::comm::run_as_threads(2, [&](halocline::comm::RankGroup& comm) {
    DomainOptions options;
    options.devices.per_rank = 2;
    for (const SchemeKind kind : mpi_schemes) {
      Case<double> on(comm, {{6, 5, 24}}, options);
      try {
        on.time(kind, 4);
        ADD_FAILURE() << to_string(kind) << " was not refused";
      } catch (const halocline::InvalidArgument& error) {
        EXPECT_THAT(error.what(), HasSubstr("this one drives 2 devices; allowed is 1 device for each rank"));
        EXPECT_THAT(error.what(), HasSubstr("mpirun -n 4"));
      }
      on.close();
    }
  });
}

TEST(LaplaceProcesses, a_process_that_fails_ends_the_scheme_of_its_neighbours_at_their_deadline) {
  class Fails : public halocline::device::Injector {
   public:
    halocline::device::Injection before(halocline::device::Operation operation, int /*device*/) override {
      halocline::device::Injection injection;
      if (armed && operation == halocline::device::Operation::launch && ++launches > 9) injection.failure = "it broke";
      return injection;
    }
    std::atomic<bool> armed{false};
    std::atomic<int> launches{0};
  };
  std::atomic<bool> over{false};  // the neighbour's wait: a rank that ends would end it at once
  halocline::comm::run_as_threads(2, [&](halocline::comm::RankGroup& comm) {
    const auto fails = std::make_shared<Fails>();
    halocline::device::HostOptions host;
    host.injector = fails;
    DomainOptions options;
    options.devices.existing.emplace(halocline::device::make_host_backend(host));
    options.timeout = std::chrono::seconds(1);
    Case<double> on(comm, {{6, 5, 12}}, options);
    on.time(SchemeKind::left_right_mpi, 2);
    const bool mine = comm.rank().value() == 1;
    fails->armed = mine;
    try {
      on.time(SchemeKind::left_right_mpi, 40);
      ADD_FAILURE() << "it did not fail";
    } catch (const halocline::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(mine ? "it broke" : "is late by more than 1 s"));
    }
    if (!mine) over = true;
    for (int i = 0; i < 1000 && !over; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  });
}

template <typename F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const halocline::InvalidArgument& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(LaplaceErrors, name_what_is_wrong) {
  const auto comm = halocline::comm::serial();
  const auto make = [&](const Vec3& extent, int devices, int steps_per_exchange) {
    return refusal([&] {
      DomainOptions options;
      options.devices.per_rank = devices;
      options.steps_per_exchange = steps_per_exchange;
      Case<double> on(*comm, {extent}, options);
      on.close();
    });
  };
  EXPECT_THAT(make({8, 8, 9}, 2, 1), HasSubstr("size in z is 9; allowed is a multiple of the number of devices, 2"));
  EXPECT_THAT(make({8, 8, 4}, 4, 1), HasSubstr("which is 1 planes for each of 4 devices; allowed are 2 or more"));
  EXPECT_THAT(make({8, 8, 12}, 4, 2), HasSubstr("which is 3 planes for each of 4 devices; allowed are 4 or more"));
  EXPECT_THAT(refusal([] { static_cast<void>(laplace3d::scheme_of("fast")); }),
              HasSubstr("scheme is 'fast'; allowed is one of baseline left-right pairwise threads threads+p2p"));
  EXPECT_THAT(refusal([] { laplace3d::check_steps(5, 2); }),
              HasSubstr("steps are 5; allowed is a multiple of steps_per_exchange, 2"));
}

TEST(LaplaceErrors, a_device_that_fails_ends_a_scheme_with_its_own_error) {
  class Fails : public halocline::device::Injector {
   public:
    halocline::device::Injection before(halocline::device::Operation operation, int device) override {
      halocline::device::Injection injection;
      if (armed && device == 1 && operation == halocline::device::Operation::launch && ++launches > 9) {
        injection.failure = "device 1 broke";
      }
      return injection;
    }
    std::atomic<bool> armed{false};
    std::atomic<int> launches{0};
  };
  for (const SchemeKind kind : laplace3d::schemes_for(1)) {
    const auto fails = std::make_shared<Fails>();
    halocline::device::HostOptions host;
    host.devices = 3;
    host.injector = fails;
    const auto comm = halocline::comm::serial();
    DomainOptions options;
    options.devices.existing.emplace(halocline::device::make_host_backend(host));
    options.timeout = std::chrono::seconds(3);
    Case<double> on(*comm, {{6, 5, 12}}, options);
    on.time(kind, 2);
    fails->armed = true;
    try {
      on.time(kind, 40);
      ADD_FAILURE() << to_string(kind) << " did not fail";
    } catch (const halocline::Error& error) {
      // In a domain's exchange a neighbour may fail first, because of a late message.
      const bool exchange = kind == SchemeKind::halocline;
      EXPECT_THAT(error.what(), testing::AnyOf(HasSubstr("device 1 broke"),
                                               HasSubstr(exchange ? "not there after 3 s" : "device 1 broke")))
          << to_string(kind);
    }
  }
}

}  // namespace
