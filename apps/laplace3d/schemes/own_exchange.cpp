// SPDX-License-Identifier: BSD-3-Clause
// The Domain's exchange, by the routes that it chooses, concurrently with the inner points.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "common/in_flight.hpp"
#include "common/slowest.hpp"
#include "common/traced_kernels.hpp"
#include "device/backend.hpp"
#include "domain/internals.hpp"
#include "halocline/error.hpp"
#include "laplace3d/schemes/inner_streams.hpp"
#include "laplace3d/schemes/schemes.hpp"

namespace laplace3d {
namespace {

using apps::Work;
using halocline::comm::Reduction;

/// Steps that a recording holds at least: its launch costs about as much as a step of a small domain.
constexpr std::int64_t recorded_steps = 8;
/// What a trial runs, and how often; the first turn does not count.
constexpr std::int64_t trial_steps = 64;
constexpr int trial_turns = 3;

constexpr std::array<std::string_view, all_own_orders.size()> order_names{"exchange, then all cells", "overlapped",
                                                                          "overlapped, sides concurrent"};

template <typename T>
class OwnExchange : public Scheme {
 public:
  explicit OwnExchange(const Setting<T>& setting)
      : setting_(setting),
        slabs_(slabs_of(*setting.domain)),
        inner_(*setting.domain),
        traced_(*setting.domain),
        steps_(setting.domain->plan().steps_per_exchange),
        way_(setting.own.value_or(OwnWay())) {}

  void prepare() override {
    halocline::Domain& domain = *setting_.domain;
    record();
    if (setting_.own) {
      way_.recorded = way_.recorded && recordings_[0];
      return;
    }
    double fastest = std::numeric_limits<double>::max();
    for (int turn = 0; turn < trial_turns; ++turn) {
      for (const OwnWay way : all_ways()) {
        if (way.recorded && !recordings_[0]) continue;
        const double slowest = apps::slowest_seconds(
            domain.plan().comm, [&] { run(std::max<std::int64_t>(trial_steps / steps_, 1), way); });
        if (turn == 0 || slowest >= fastest) continue;
        fastest = slowest;
        way_ = way;
      }
    }
  }

  void run(std::int64_t cycles) override { run(cycles, way_); }

  [[nodiscard]] std::string detail() const override {
    return fmt::format("{}, {}", order_names[static_cast<std::size_t>(way_.order)],
                       way_.recorded ? "in graphs" : "eager");
  }

 private:
  [[nodiscard]] std::vector<OwnWay> all_ways() const {
    std::vector<OwnWay> ways;
    for (const bool recorded : {false, true}) {
      for (const OwnOrder order : all_own_orders) {
        ways.push_back({order, recorded});
      }
    }
    return ways;
  }

  /// Two recordings, where all ranks can.
  void record() {
    halocline::Domain& domain = *setting_.domain;
    cycles_recorded_ = std::lcm(std::int64_t{steps_}, std::int64_t{2}) / steps_;
    while (cycles_recorded_ * steps_ < recorded_steps) cycles_recorded_ *= 2;
    recorded_buffer_ = internals(domain).current_buffer(setting_.field.id);
    std::int64_t can = internals(domain).backend().prefers_graphs() ? 1 : 0;
    for (const OwnOrder order : all_own_orders) {
      if (can == 0) break;
      try {
        auto capture = domain.capture();
        for (std::int64_t c = 0; c < cycles_recorded_; ++c) enqueue_cycle(order);
        recording(order).emplace(capture.finish());
      } catch (const halocline::CapabilityError&) {  // a route needs the host
        can = 0;
      }
    }
    if (domain.plan().comm.all_reduce(can, Reduction::min) == 0) {
      for (auto& one : recordings_) one.reset();
    }
  }

  [[nodiscard]] std::optional<halocline::Graph>& recording(OwnOrder order) {
    return recordings_[static_cast<std::size_t>(order)];
  }

  void run(std::int64_t cycles, OwnWay way) {
    halocline::Domain& domain = *setting_.domain;
    apps::InFlight in_flight(domain);
    // What a recording does is not traced.
    const auto* const tracer = internals(domain).tracer();
    if (tracer != nullptr && tracer->on()) way.recorded = false;
    std::int64_t since_wait = 0;
    std::int64_t cycle = 0;
    while (cycle < cycles) {
      std::int64_t step = 1;
      if (way.recorded && cycles - cycle >= cycles_recorded_ &&
          internals(domain).current_buffer(setting_.field.id) == recorded_buffer_) {
        step = cycles_recorded_;
        recording(way.order)->launch();
      } else {
        enqueue_cycle(way.order);
      }
      cycle += step;
      since_wait += step * steps_;
      if (since_wait < apps::InFlight::steps_in_flight / 2) continue;
      since_wait = 0;
      in_flight.wait();
    }
    domain.synchronize();
  }

  void enqueue_cycle(OwnOrder order) {
    halocline::Domain& domain = *setting_.domain;
    switch (order) {
      case OwnOrder::exchange_first:
        domain.exchange();
        update_all(0);
        break;
      case OwnOrder::sides_last: {
        auto exchange = domain.start_exchange();
        for (const Slab& slab : slabs_) update_inner(slab, stream_of(slab.subdomain()));
        exchange.finish();
        for (const Slab& slab : slabs_) update(Work::boundary, slab, slab.touched());
        break;
      }
      case OwnOrder::sides_beside: {
        for (std::size_t i = 0; i < slabs_.size(); ++i) inner_.fork(i);
        auto exchange = domain.start_exchange();
        for (std::size_t i = 0; i < slabs_.size(); ++i) update_inner(slabs_[i], inner_.stream(i));
        exchange.finish();
        for (const Slab& slab : slabs_) update(Work::boundary, slab, slab.touched());
        for (std::size_t i = 0; i < slabs_.size(); ++i) inner_.join(i);
        break;
      }
    }
    domain.swap(setting_.field);
    for (int t = 1; t < steps_; ++t) {
      update_all(t);
      domain.swap(setting_.field);
    }
  }

  void update_all(int t) {
    for (const Slab& slab : slabs_) {
      const halocline::Box box = slab.subdomain().update_box(t);
      update(Work::all_cells, slab, {&box, 1});
    }
  }

  void update_inner(const Slab& slab, halocline::device::Stream& stream) {
    const halocline::Box box = slab.untouched();
    update(Work::interior, slab, {&box, 1}, stream);
  }

  void update(Work work, const Slab& slab, std::span<const halocline::Box> boxes) {
    update(work, slab, boxes, stream_of(slab.subdomain()));
  }

  void update(Work work, const Slab& slab, std::span<const halocline::Box> boxes, halocline::device::Stream& stream) {
    const auto& subdomain = slab.subdomain();
    traced_.run(work, subdomain, stream, [&] {
      setting_.kernels->update(stream, boxes, subdomain.read(setting_.field), subdomain.view(setting_.field, 1));
    });
  }

  Setting<T> setting_;
  std::vector<Slab> slabs_;
  InnerStreams inner_;
  apps::TracedKernels traced_;
  int steps_;
  OwnWay way_;
  std::int64_t cycles_recorded_ = 0;
  int recorded_buffer_ = 0;
  std::array<std::optional<halocline::Graph>, all_own_orders.size()> recordings_;
};

}  // namespace

template <typename T>
std::unique_ptr<Scheme> make_own_exchange(const Setting<T>& setting) {
  return std::make_unique<OwnExchange<T>>(setting);
}

template std::unique_ptr<Scheme> make_own_exchange(const Setting<float>&);
template std::unique_ptr<Scheme> make_own_exchange(const Setting<double>&);

}  // namespace laplace3d
