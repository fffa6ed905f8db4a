// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "device/host.hpp"
#include "slow_paths/healthy_case.hpp"
#include "slow_paths/slow_paths.hpp"
#include "support/sampling.hpp"

namespace halocline::bench {
namespace {

/// What close() logs of slow paths. Other warnings are printed.
class Alarms {
 public:
  Alarms() {
    set_log_sink([this](LogLevel level, std::string_view message) {
      const std::lock_guard lock(mutex_);
      if (level == LogLevel::warning && message.starts_with("slow path: ")) {
        warning_ = message;
      } else if (message.starts_with(judged)) {
        share_ = std::stod(std::string(message.substr(judged.size())));
      } else if (level <= LogLevel::warning) {
        fmt::print(stderr, "{}: {}\n", to_string(level), message);
      }
    });
  }
  ~Alarms() { set_log_sink({}); }
  Alarms(const Alarms&) = delete;
  Alarms& operator=(const Alarms&) = delete;
  /// Since the last call; empty without one.
  std::string take_warning() {
    const std::lock_guard lock(mutex_);
    return std::exchange(warning_, {});
  }
  /// Of the limit that the domain's least time took, since the last call; 0 where it was below the constant.
  double take_share() {
    const std::lock_guard lock(mutex_);
    return std::exchange(share_, 0);
  }

 private:
  static constexpr std::string_view judged = "slow paths: share of the limit: ";
  std::mutex mutex_;
  std::string warning_;
  double share_ = 0;
};

/// Each copy of host devices takes longer.
class SlowCopies final : public device::Injector {
 public:
  explicit SlowCopies(Duration delay) : delay_(delay) {}
  device::Injection before(device::Operation operation, int /*device*/) override {
    device::Injection injection;
    if (operation == device::Operation::copy_list) injection.delay = delay_;
    return injection;
  }

 private:
  Duration delay_;
};

/// Devices and machine of domains that differ in nothing else, so that set-up takes less.
struct Shared {
  Devices devices;
  Machine machine;
};

Shared shared(comm::RankGroup& world, DomainOptions options, int slow_copies) {
  if (slow_copies > 0) {
    device::HostOptions host;
    host.devices = options.devices.per_rank.value_or(1);
    host.ranks_on_node = world.size();
    host.injector = std::make_shared<SlowCopies>(std::chrono::milliseconds(slow_copies));
    options.devices.existing = Devices(device::make_host_backend(host));
  }
  Domain domain(Vec3::filled(64), Stencil::box(1), world, options);
  domain.add_field<float>("u");
  const Planned planned = domain.plan();
  Shared made{planned.devices, planned.machine};
  domain.close();
  return made;
}

void update(const Subdomain& s, Field<float> field, const Box& box) {
  if (box.empty()) return;
  if (s.stream().native() != nullptr) return update_on_gpu(s, field, box);
  s.launch(box, [now = s.read(field), next = s.write(field)](const Box& part) {
    for_each_cell(part, [&](const Vec3& p) { next(p) = 0.5F * now(p) + 1; });
  });
}

void do_step(Domain& domain, const HealthyCase& drawn, Step step, Field<float> field, int first_updates) {
  const auto update_all = [&](const auto& box_of, int times) {
    for (const Subdomain& s : domain.subdomains()) {
      for (int i = 0; i < times; ++i) update(s, field, box_of(s));
    }
  };
  const auto owned = [](const Subdomain& s) { return s.owned(); };
  const auto interior = [](const Subdomain& s) { return s.interior(); };
  update_all(owned, first_updates);
  if (step == Step::whole) {
    domain.exchange();
    update_all(owned, drawn.updates);
  } else {
    auto exchange = domain.start_exchange();
    update_all(interior, drawn.updates);
    const auto update_boxes = [&](const Subdomain& s, std::span<const Box> boxes) {
      for (const Box& box : boxes) update(s, field, box);
    };
    if (step == Step::as_ready) {
      exchange.finish(update_boxes);
    } else {
      exchange.finish();
      for (const Subdomain& s : domain.subdomains()) update_boxes(s, s.boundary());
    }
  }
  domain.swap(field);
  if (drawn.synchronized) domain.synchronize();
}

void run_one(comm::RankGroup& world, const HealthyCase& drawn, DomainOptions options) {
  options.boundaries = drawn.boundaries;
  options.partition.method = drawn.partition;
  options.routing.messages = drawn.messages;
  if (!drawn.transports.empty()) options.routing.policy = routing::Policy::parse(drawn.transports);
  options.slow_paths = true;
  Domain domain(drawn.extent, drawn.star ? Stencil::star(drawn.radius) : Stencil::box(drawn.radius), world, options);
  const auto field = domain.add_field<float>("f0", {.buffers = 2});
  int count = 0;
  for (const Element element : drawn.elements) {
    FieldDescriptor more;
    more.name = fmt::format("f{}", ++count);
    more.element = element;
    domain.add_field(more);
  }
  domain.on_open_boundary({});
  domain.realize();
  const int first_updates = world.rank() == rank_id(0) ? drawn.more_updates : 0;
  for (const Step step : drawn.steps) do_step(domain, drawn, step, field, first_updates);
  domain.synchronize();
  domain.close();
}

}  // namespace

int run_healthy(comm::RankGroup& world, const DomainOptions& options, const HealthyRuns& wanted) {
  const bool prints = world.rank() == rank_id(0);
  Alarms alarms;
  const Shared all_devices = shared(world, options, wanted.slow_copies);
  DomainOptions one = options;
  if (!options.machine.map) one.devices.per_rank = 1;
  const Shared one_device = shared(world, one, wanted.slow_copies);
  std::int64_t count = 0;
  std::int64_t above_constant = 0;
  double largest = 0;
  const double begin = now();
  for (std::int64_t run = wanted.first; run < wanted.first + wanted.runs; ++run) {
    const HealthyCase drawn(wanted.seed, run, wanted.most_edge);
    const Shared& shared = drawn.all_devices ? all_devices : one_device;
    DomainOptions with = options;
    with.devices.existing = shared.devices;
    with.machine.map = shared.machine;
    try {
      run_one(world, drawn, with);
    } catch (...) {
      fmt::print(stderr, "run {} of seed {}: {}\n", run, wanted.seed, drawn.text());
      throw;
    }
    const double share = alarms.take_share();
    above_constant += share > 0 ? 1 : 0;
    largest = std::max(largest, share);
    const std::string warning = alarms.take_warning();
    if (!warning.empty()) ++count;
    if (warning.empty() && !(wanted.all && prints)) continue;
    fmt::print("run {} of seed {}, {:.3f} of the limit: {}{}{}\n", run, wanted.seed, share, drawn.text(),
               warning.empty() ? "" : ": ", warning);
    std::fflush(stdout);
  }
  if (prints) {
    fmt::print(
        "{} ranks, {} {} devices each at most, {:.1f} s; in {} runs the least time was above the constant, at most "
        "{:.2f} of the limit\n",
        world.size(), all_devices.devices.count(), to_string(all_devices.devices.kind()), now() - begin, above_constant,
        largest);
    fmt::print("runs {}, false alarms {}\n", wanted.runs, count);
  }
  return world.all_reduce(count, comm::Reduction::sum) == 0 ? 0 : 1;
}

}  // namespace halocline::bench
