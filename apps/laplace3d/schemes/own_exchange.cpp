// Domain's own exchange, by the routes that it takes, beside the inner points.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "common/in_flight.hpp"
#include "common/slowest.hpp"
#include "halocline/core/error.hpp"
#include "laplace3d/schemes/schemes.hpp"

namespace laplace3d {
namespace {

using halocline::comm::Reduction;

/// Steps that a recording holds at least: its launch costs about as much as a step of a small domain.
constexpr std::int64_t recorded_steps = 8;
/// What a trial runs, and how often; the first turn does not count.
constexpr std::int64_t trial_steps = 64;
constexpr int trial_turns = 3;

template <typename T>
class OwnExchange : public Scheme {
 public:
  explicit OwnExchange(const Setting<T>& setting)
      : setting_(setting), slabs_(slabs_of(*setting.domain)), steps_(setting.domain->halo_multiplier()) {}

  void prepare() override {
    halocline::Domain& domain = *setting_.domain;
    record();
    double fastest = std::numeric_limits<double>::max();
    for (int turn = 0; turn < trial_turns; ++turn) {
      for (const Way way : {Way{true, false}, Way{false, false}, Way{true, true}, Way{false, true}}) {
        if (way.recorded && !recordings_[0]) continue;
        const double slowest =
            apps::slowest_seconds(domain.comm(), [&] { run(std::max<std::int64_t>(trial_steps / steps_, 1), way); });
        if (turn == 0 || slowest >= fastest) continue;
        fastest = slowest;
        way_ = way;
      }
    }
  }

  void run(std::int64_t cycles) override { run(cycles, way_); }

  [[nodiscard]] std::string detail() const override {
    return fmt::format("{}, {}", way_.overlap ? "overlapped" : "exchange, then all cells",
                       way_.recorded ? "recorded" : "enqueued one by one");
  }

 private:
  struct Way {
    bool overlap = true;
    bool recorded = false;
  };

  /// Two recordings, where all ranks can.
  void record() {
    halocline::Domain& domain = *setting_.domain;
    cycles_recorded_ = std::lcm(std::int64_t{steps_}, std::int64_t{2}) / steps_;
    while (cycles_recorded_ * steps_ < recorded_steps) cycles_recorded_ *= 2;
    recorded_set_ = domain.current_set(setting_.field.id);
    std::int64_t can = domain.backend().prefers_graphs() ? 1 : 0;
    for (const bool overlap : {false, true}) {
      if (can == 0) break;
      try {
        recordings_[overlap].emplace(domain.capture([&] {
          for (std::int64_t c = 0; c < cycles_recorded_; ++c) enqueue_cycle(overlap);
        }));
      } catch (const halocline::CapabilityError&) {  // a route needs the host
        can = 0;
      }
    }
    if (domain.comm().all_reduce(can, Reduction::min) == 0) {
      for (auto& recording : recordings_) recording.reset();
    }
  }

  void run(std::int64_t cycles, Way way) {
    halocline::Domain& domain = *setting_.domain;
    apps::InFlight in_flight(domain);
    std::int64_t since_wait = 0;
    for (std::int64_t cycle = 0; cycle < cycles;) {
      std::int64_t step = 1;
      if (way.recorded && cycles - cycle >= cycles_recorded_ &&
          domain.current_set(setting_.field.id) == recorded_set_) {
        step = cycles_recorded_;
        domain.replay(*recordings_[way.overlap]);
      } else {
        enqueue_cycle(way.overlap);
      }
      cycle += step;
      since_wait += step * steps_;
      if (since_wait < apps::InFlight::steps_in_flight / 2) continue;
      since_wait = 0;
      in_flight.wait();
    }
    domain.synchronize();
  }

  void enqueue_cycle(bool overlap) {
    halocline::Domain& domain = *setting_.domain;
    if (overlap) {
      domain.start_exchange();
      for (const Slab& slab : slabs_) {
        const halocline::Box box = slab.untouched();
        update(slab, {&box, 1});
      }
      domain.finish_exchange();
      for (const Slab& slab : slabs_) update(slab, slab.touched());
    } else {
      domain.exchange();
      update_all(0);
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
      update(slab, {&box, 1});
    }
  }

  void update(const Slab& slab, std::span<const halocline::Box> boxes) {
    const auto& subdomain = slab.subdomain();
    setting_.kernels->update(subdomain.stream(), boxes, subdomain.view(halocline::Field<const T>{setting_.field.id}),
                             subdomain.view(setting_.field, 1));
  }

  Setting<T> setting_;
  std::vector<Slab> slabs_;
  int steps_;
  Way way_;
  std::int64_t cycles_recorded_ = 0;
  int recorded_set_ = 0;
  std::array<std::optional<halocline::Recording>, 2> recordings_;  ///< without and with overlap
};

}  // namespace

template <typename T>
std::unique_ptr<Scheme> make_own_exchange(const Setting<T>& setting) {
  return std::make_unique<OwnExchange<T>>(setting);
}

template std::unique_ptr<Scheme> make_own_exchange(const Setting<float>&);
template std::unique_ptr<Scheme> make_own_exchange(const Setting<double>&);

}  // namespace laplace3d
