// SPDX-License-Identifier: BSD-3-Clause
// The warning of a slow path: planted ones are found with their cause, and nothing else is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "halocline/halocline.hpp"
#include "support/effort.hpp"
#include "support/forwarding_backend.hpp"
#include "support/warnings.hpp"

namespace halocline {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Makes each pack, store and unpack take longer.
class SlowCopies final : public device::Injector {
 public:
  explicit SlowCopies(Duration delay) : delay_(delay) {}
  device::Injection before(device::Operation operation, int) override {
    device::Injection injection;
    if (operation == device::Operation::copy_list) injection.delay = delay_;
    return injection;
  }

 private:
  Duration delay_;
};

struct Job {
  int ranks = 2;
  int exchanges = 33;        ///< the last of 4 timed ones is the 32nd
  Duration delay{};          ///< of each copy
  std::string transports{};  ///< empty: all
  bool can_map = true;
  Duration late{};       ///< the last rank's work before each exchange
  Duration hidden{};     ///< work in each stream between start and finish
  Duration boundary{};   ///< work of finish(update)
  Duration enqueuing{};  ///< what the host takes for each of its calls
  int workers = 1;       ///< of a rank
  bool gpus = false;     ///< pretended
  bool update = false;   ///< finish(update)
  bool off_on_a_rank = false;
  bool ahead = false;  ///< the host waits for the first three exchanges and the last only
  int captured = 0;    ///< exchanges of a graph, before the others
  int devices = 1;     ///< of each rank
  Duration hook{};     ///< work of on_open_boundary
};

std::vector<std::string> warnings_of(const Job& job) {
  const test::Warnings warnings("slow path");
  comm::run_as_threads(job.ranks, [&job](comm::RankGroup& comm) {
    device::HostOptions host;
    host.workers = job.workers;
    host.devices = job.devices;
    host.injector = std::make_shared<SlowCopies>(job.delay);
    if (!job.can_map) host.mapping = [](int, const std::string&) { return false; };
    DomainOptions options;
    std::shared_ptr<device::Backend> backend = device::make_host_backend(host);
    if (job.gpus) backend = std::make_shared<test::ForwardingBackend>(backend, test::Said{.kind = DeviceKind::cuda});
    options.devices.existing = Devices(backend);
    if (!job.transports.empty()) options.routing.policy = routing::Policy::parse(job.transports);
    options.slow_paths = !job.off_on_a_rank || comm.rank() != rank_id(0);
    if (job.hook > Duration::zero()) options.boundaries = {Boundary::open, Boundary::periodic, Boundary::periodic};
    Domain domain({16, 16, 16}, Stencil::box(1), comm, options);
    domain.add_field<double>("u", {.buffers = 2});
    if (job.hook > Duration::zero()) {
      domain.on_open_boundary([&](const Subdomain& s, field_id, const overlap::OpenBoundaryBox&) {
        s.stream().host_function([&] { std::this_thread::sleep_for(job.hook); });
      });
    }
    domain.realize();
    if (job.captured > 0) {
      auto capture = domain.capture();
      for (int i = 0; i < job.captured; ++i) domain.exchange();
      static_cast<void>(capture.finish());
    }
    for (int i = 0; i < job.exchanges; ++i) {
      if (comm.rank() == rank_id(job.ranks - 1)) std::this_thread::sleep_for(job.late);
      auto exchange = domain.start_exchange();
      if (job.hidden > Duration::zero()) {
        for (const Subdomain& s : domain.subdomains()) {
          s.stream().host_function([&] { std::this_thread::sleep_for(job.hidden); });
        }
      }
      if (job.update) {
        exchange.finish([&](const Subdomain& s, std::span<const Box>) {
          std::this_thread::sleep_for(job.enqueuing);
          s.stream().host_function([&] { std::this_thread::sleep_for(job.boundary); });
        });
      } else {
        exchange.finish();
      }
      if (!job.ahead || i < 3) domain.synchronize();
    }
    domain.synchronize();
    domain.close();
  });
  return warnings.all();
}

/// Of three runs: none if one has none, because other work of the machine may be a slow path, too.
std::vector<std::string> alarms_of(const Job& job) {
  std::vector<std::string> alarms;
  for (int run = 0; run < 3; ++run) {
    alarms = warnings_of(job);
    if (alarms.empty()) break;
  }
  return alarms;
}

TEST(SlowPath, a_capped_transport_is_one_warning_with_route_rates_and_cause) {
  for (const std::string transport : {"direct", "ipc_copy", "mpi_staged"}) {
    const auto warnings = warnings_of({.delay = 5ms, .transports = "self," + transport});
    EXPECT_THAT(warnings,
                ElementsAre(AllOf(HasSubstr(" by " + transport + " runs at "), HasSubstr("GB/s, predicted are"),
                                  HasSubstr("in 4 exchanges"), HasSubstr("likely cause: "))))
        << transport;
  }
}

/// The halos of the 4th exchange are there before the streams have reached its end when the 8th is timed.
TEST(SlowPath, a_host_that_is_ahead_of_hidden_work_sees_no_error) {
  EXPECT_THAT(
      alarms_of(
          {.exchanges = 40, .transports = "self,direct", .hidden = 10ms, .gpus = true, .update = true, .ahead = true}),
      IsEmpty());
}

TEST(SlowPath, captured_exchanges_do_not_count) {
  const auto with = [](int live) {
    return warnings_of({.exchanges = live, .delay = 5ms, .transports = "self,direct", .captured = 2});
  };
  EXPECT_THAT(with(31), IsEmpty());
  EXPECT_EQ(with(32).size(), 1u);
}

TEST(SlowPath, refused_mappings_are_the_cause) {
  EXPECT_THAT(
      warnings_of({.delay = 5ms, .can_map = false}),
      ElementsAre(AllOf(HasSubstr(" by mpi_"), HasSubstr(" instead of direct: direct not possible (no mapping:"))));
}

TEST(SlowPath, mpi_that_takes_no_device_pointers_is_the_cause) {
  EXPECT_THAT(warnings_of({.delay = 5ms, .transports = "self,mpi_device,mpi_staged", .gpus = true}),
              ElementsAre(AllOf(HasSubstr("likely cause: mpi_staged instead of mpi_device: "),
                                HasSubstr("mpi_device not possible (MPI does not take device pointers: "))));
}

TEST(SlowPath, is_found_behind_the_update_of_boundaries) {
  const Job slow{.delay = 5ms, .transports = "self,direct", .workers = 4, .gpus = true, .update = true};
  EXPECT_THAT(warnings_of(slow), ElementsAre(HasSubstr(" by direct runs at ")));
  EXPECT_THAT(alarms_of({.transports = "self,direct", .boundary = 10ms, .workers = 4, .gpus = true, .update = true}),
              IsEmpty());
}

TEST(SlowPath, a_host_that_is_slow_to_enqueue_the_update_of_boundaries_is_none) {
  const Job by_device{.enqueuing = 3ms, .workers = 4, .gpus = true, .update = true};
  EXPECT_THAT(alarms_of(by_device), IsEmpty());
  Job by_host = by_device;
  by_host.transports = "self,mpi_staged";
  EXPECT_THAT(alarms_of(by_host), IsEmpty()) << "the update of one side keeps the host from the next message";
}

TEST(SlowPath, other_work_is_no_slow_path) {
  EXPECT_THAT(alarms_of({.late = 10ms}), IsEmpty()) << "a rank with more work";
  EXPECT_THAT(alarms_of({.hidden = 10ms}), IsEmpty()) << "work that hides the exchange";
  EXPECT_THAT(alarms_of({.boundary = 10ms, .update = true}), IsEmpty()) << "the update of the boundary";
  EXPECT_THAT(alarms_of({.hook = 10ms}), IsEmpty()) << "the hook of open boundaries";
  EXPECT_THAT(alarms_of({.hidden = 10ms, .devices = 2}), IsEmpty()) << "a thread that two devices share";
}

TEST(SlowPath, what_is_hidden_costs_nothing) {
  EXPECT_THAT(alarms_of({.delay = 5ms, .hidden = 40ms, .workers = 4}), IsEmpty());
}

TEST(SlowPath, needs_four_timed_exchanges_and_all_ranks) {
  EXPECT_THAT(alarms_of({.exchanges = 31, .delay = 5ms}), IsEmpty());
  EXPECT_THAT(alarms_of({.delay = 5ms, .off_on_a_rank = true}), IsEmpty());
}

TEST(SlowPath, no_false_alarm) {
  for (int i = 0; i < test::some_of(40); ++i) {
    EXPECT_THAT(alarms_of({.ranks = 1 + i % 4, .transports = i % 2 == 0 ? "" : "self,mpi_staged"}), IsEmpty());
  }
}

}  // namespace
}  // namespace halocline
