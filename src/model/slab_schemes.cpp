// SPDX-License-Identifier: BSD-3-Clause
#include "model/slab_schemes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <vector>

#include "core/at.hpp"
#include "halocline/error.hpp"
#include "machine/paths.hpp"
#include "model/simulate.hpp"
#include "model/simulation/host_memory.hpp"
#include "model/simulation/ranks.hpp"

namespace halocline::model {
namespace {

using machine::Place;

/// Cycles that are simulated, and after how many of them steps are counted.
constexpr int cycles = 12;
constexpr int settled = 6;
constexpr int none = -1;

/// A host thread: what its next call comes after.
struct HostThread {
  rank_id core;
  std::set<int> after;
};
/// A queue of a device, a stream or a copy engine: its last operation.
struct Queue {
  int last = none;
};

/// The flows of host threads' calls, in each thread's order.
class Calls {
 public:
  Calls(const machine::Software& software, double synchronise)
      : software_(software), synchronise_(synchronise), ranks_(software) {}

  /// A call that hands an operation to a stream. The operation comes after the call, the stream's last one, those in `after`, and the
  /// last one of a copy engine.
  int enqueue(HostThread& thread, Queue& stream, Flow flow, std::initializer_list<int> after, Queue* engine = nullptr) {
    spend(thread, software_.device_launch);
    flow.after = list(thread);
    flow.after.push_back(stream.last);
    flow.after.insert(flow.after.end(), after.begin(), after.end());
    if (engine != nullptr) flow.after.push_back(engine->last);
    stream.last = add(std::move(flow));
    if (engine != nullptr) engine->last = stream.last;
    return stream.last;
  }
  /// The thread goes on when the stream is empty.
  void synchronise(HostThread& thread, const Queue& stream) {
    await(thread, stream.last);
    spend(thread, synchronise_);
  }
  static void await(HostThread& thread, int flow) { thread.after.insert(flow); }
  /// The thread goes on when another one has come as far as it is now.
  static void await(HostThread& thread, const HostThread& other) {
    thread.after.insert(other.after.begin(), other.after.end());
  }
  /// A message between two processes of the node, through memory that both access.
  int send(HostThread& from, const HostThread& posted, Flow flow, rank_id to) {
    spend(from, software_.mpi_overhead);
    flow.latency = software_.mpi_latency;
    ranks_.copies(flow, from.core, to);
    flow.after = list(from);
    flow.after.insert(flow.after.end(), posted.after.begin(), posted.after.end());
    return add(std::move(flow));
  }
  void spend(HostThread& thread, double seconds) {
    if (seconds == 0) return;
    Flow flow = ranks_.work(thread.core, seconds);
    flow.after = list(thread);
    thread.after = {add(std::move(flow))};
  }

  /// What has been added so far belongs to a cycle that ends here.
  void end_cycle() { ends_.push_back(flows_.size()); }
  /// Seconds of a cycle once cycles are alike.
  [[nodiscard]] double seconds(const machine::Interconnect& links) const {
    const Simulated found = simulate(links, ranks_.resources, flows_);
    const auto end_of = [&](int count) {
      return *std::max_element(found.ends.begin(),
                               found.ends.begin() + static_cast<std::ptrdiff_t>(ends_[at(count - 1)]));
    };
    return (end_of(cycles) - end_of(settled)) / (cycles - settled);
  }

 private:
  static std::vector<int> list(const HostThread& thread) { return {thread.after.begin(), thread.after.end()}; }

  int add(Flow flow) {
    std::sort(flow.after.begin(), flow.after.end());
    flow.after.erase(std::unique(flow.after.begin(), flow.after.end()), flow.after.end());
    std::erase(flow.after, none);
    flows_.push_back(std::move(flow));
    return static_cast<int>(flows_.size()) - 1;
  }

  const machine::Software& software_;
  double synchronise_;
  simulation::Ranks ranks_;
  std::vector<Flow> flows_;
  std::vector<std::size_t> ends_;
};

enum Side : std::size_t { lower, upper };
constexpr std::array both_sides{lower, upper};
constexpr Side opposite(Side side) { return side == lower ? upper : lower; }

class Slabs {
 public:
  Slabs(const machine::MachineMap& map, const SlabStep& step)
      : map_(map), step_(step), links_(map), calls_(map.software, step.synchronise) {
    const machine::NodeType& type = map.type_of(node_id(0));
    for (int d = 0; d < step.devices; ++d) {
      const double memory = best_path(type, device_id(d), device_id(d)).bandwidth;
      if (!std::isfinite(memory)) {
        throw InvalidArgument(fmt::format(
            "device {} of '{}' has no memory link in the machine map; allowed is a map with one", d, type.name));
      }
      const Place place = links_.device(node_id(0), device_id(d));
      Slab slab{place, {node_id(0), simulation::host_vertex(type, place.vertex)}, memory, rank_id(d)};
      slab.thread = {rank_id(d), {}};
      for (const Side side : both_sides)
        slab.assistants[side] = {rank_id(step.devices * (1 + static_cast<int>(side)) + d), {}};
      slabs_.push_back(std::move(slab));
    }
  }

  double run(SlabScheme scheme) {
    for (int cycle = 0; cycle < cycles; ++cycle) {
      switch (scheme) {
        case SlabScheme::baseline: one_thread(); break;
        case SlabScheme::left_right: two_phases(false, false); break;
        case SlabScheme::pairwise: two_phases(true, false); break;
        case SlabScheme::left_right_mpi: two_phases(false, true); break;
        case SlabScheme::pairwise_mpi: two_phases(true, true); break;
        case SlabScheme::threads: one_phase(false); break;
        case SlabScheme::threads_p2p: one_phase(true); break;
      }
      calls_.end_cycle();
    }
    return calls_.seconds(links_);
  }

 private:
  struct Slab {
    Place device;
    Place host;
    double memory = 0;  ///< bytes a second of its device
    rank_id rank;       ///< of the process with this device alone
    HostThread thread{};
    std::array<HostThread, 2> assistants{};
    Queue inner{};
    Queue border{};                  ///< of the schemes with two streams
    std::array<Queue, 2> sending{};  ///< of those with two streams a side
    std::array<Queue, 2> receiving{};
    Queue copies_out{};
    Queue copies_in{};
    int updated = none;                       ///< the inner points of the cycle before
    std::array<int, 2> computed{none, none};  ///< and its sides
  };

  [[nodiscard]] int count() const { return step_.devices; }
  [[nodiscard]] bool has(int i, Side side) const { return side == lower ? i > 0 : i + 1 < count(); }
  [[nodiscard]] static int beside(int i, Side side) { return side == lower ? i - 1 : i + 1; }
  [[nodiscard]] std::int64_t plane() const { return step_.extent.x * step_.extent.y; }
  [[nodiscard]] int sides_of(int i) const { return (has(i, lower) ? 1 : 0) + (has(i, upper) ? 1 : 0); }
  [[nodiscard]] std::int64_t planes_of(int /*slab*/) const { return step_.extent.z / count(); }
  [[nodiscard]] Queue* engine_in(Slab& slab) const {
    return step_.copy_engines == 1 ? &slab.copies_out : &slab.copies_in;
  }

  [[nodiscard]] Flow kernel(const Slab& slab, std::int64_t planes) const {
    const double seconds = static_cast<double>(planes * plane()) * step_.seconds_per_cell;
    return {slab.device, slab.device, std::llround(seconds * slab.memory)};
  }
  [[nodiscard]] Flow copy(const Place& from, const Place& to) const { return {from, to, plane() * step_.cell_bytes}; }

  /// One thread for all devices, which waits after each part.
  void one_thread() {
    HostThread& thread = slabs_[0].thread;
    for (int i = 0; i < count(); ++i) calls_.enqueue(thread, slab(i).inner, kernel(slab(i), planes_of(i)), {});
    for_each_side([&](int i, Side) {
      calls_.enqueue(thread, slab(i).inner, copy(slab(i).device, slab(i).host), {}, &slab(i).copies_out);
    });
    for (int i = 0; i < count(); ++i) calls_.synchronise(thread, slab(i).inner);
    for_each_side([&](int i, Side side) {
      calls_.enqueue(thread, slab(i).inner, copy(slab(beside(i, side)).host, slab(i).device), {}, engine_in(slab(i)));
    });
    for (int i = 0; i < count(); ++i) calls_.synchronise(thread, slab(i).inner);
  }

  /// A thread or process and two streams a device.
  void two_phases(bool pairwise, bool by_messages) {
    for (int i = 0; i < count(); ++i) {
      Slab& me = slab(i);
      const int border = calls_.enqueue(me.thread, me.border, kernel(me, sides_of(i)), {me.updated});
      me.updated = calls_.enqueue(me.thread, me.inner, kernel(me, planes_of(i) - sides_of(i)), {border});
    }
    for (int phase = 0; phase < 2; ++phase) exchange(phase, pairwise, by_messages);
  }

  void exchange(int phase, bool pairwise, bool by_messages) {
    const auto to_of = [&](int i) {
      if (!pairwise) return phase == 0 ? upper : lower;
      return i % 2 == phase ? upper : lower;
    };
    const auto from_of = [&](int i) { return pairwise ? to_of(i) : opposite(to_of(i)); };
    std::vector<HostThread> posted;  // receives are posted before anything is sent
    for (int i = 0; i < count(); ++i) posted.push_back(slab(i).thread);
    std::vector<int> messages(at(count()), none);
    std::vector<HostThread> staged(at(count()));
    for (int i = 0; i < count(); ++i) {
      if (!has(i, to_of(i))) continue;
      Slab& me = slab(i);
      calls_.enqueue(me.thread, me.border, copy(me.device, me.host), {}, &me.copies_out);
      calls_.synchronise(me.thread, me.border);
      staged[at(i)] = me.thread;
      if (!by_messages) continue;
      const int other = beside(i, to_of(i));
      messages[at(i)] = calls_.send(me.thread, posted[at(other)], copy(me.host, slab(other).host), slab(other).rank);
    }
    for (int i = 0; i < count(); ++i) {
      Slab& me = slab(i);
      if (has(i, from_of(i))) {
        const int other = beside(i, from_of(i));
        if (by_messages) {
          Calls::await(me.thread, messages[at(other)]);
          calls_.spend(me.thread, map_.software.mpi_overhead);
        } else {
          Calls::await(me.thread, staged[at(other)]);
        }
        const Place& source = by_messages ? me.host : slab(other).host;
        calls_.enqueue(me.thread, me.border, copy(source, me.device), {}, engine_in(me));
      }
      if (by_messages && has(i, to_of(i))) Calls::await(me.thread, messages[at(i)]);
    }
  }

  /// A thread for the inner points and one for each neighbour, five streams; threads wait for no device.
  void one_phase(bool peer_to_peer) {
    std::vector<std::array<int, 2>> computed(at(count()), {none, none});
    std::vector<std::array<int, 2>> sent(at(count()), {none, none});
    for (int i = 0; i < count(); ++i) {
      Slab& me = slab(i);
      const std::array<int, 2> before = me.computed;
      const int updated = me.updated;
      me.updated =
          calls_.enqueue(me.thread, me.inner, kernel(me, planes_of(i) - sides_of(i)), {before[lower], before[upper]});
      for (const Side side : both_sides) {
        if (!has(i, side)) continue;
        computed[at(i)][side] =
            calls_.enqueue(me.assistants[side], me.sending[side], kernel(me, 1), {updated, me.receiving[side].last});
      }
    }
    for_each_side([&](int i, Side side) {
      Slab& me = slab(i);
      sent[at(i)][side] = computed[at(i)][side];
      if (peer_to_peer) return;
      sent[at(i)][side] =
          calls_.enqueue(me.assistants[side], me.sending[side], copy(me.device, me.host), {}, &me.copies_out);
    });
    std::vector<std::array<HostThread, 2>> recorded;  // when each had handed over its copy
    for (const Slab& one : slabs_) recorded.push_back(one.assistants);
    for_each_side([&](int i, Side side) {
      Slab& me = slab(i);
      Slab& other = slab(beside(i, side));
      Calls::await(me.assistants[side], recorded[at(beside(i, side))][opposite(side)]);
      const int source = sent[at(beside(i, side))][opposite(side)];
      calls_.enqueue(me.assistants[side], me.receiving[side], copy(peer_to_peer ? other.device : other.host, me.device),
                     {computed[at(i)][side], source}, peer_to_peer ? &other.copies_out : engine_in(me));
    });
    for (int i = 0; i < count(); ++i) slab(i).computed = computed[at(i)];
  }

  template <typename F>
  void for_each_side(F&& f) {
    for (int i = 0; i < count(); ++i) {
      for (const Side side : both_sides) {
        if (has(i, side)) f(i, side);
      }
    }
  }
  [[nodiscard]] Slab& slab(int i) { return slabs_[at(i)]; }

  const machine::MachineMap& map_;
  const SlabStep& step_;
  machine::Interconnect links_;
  Calls calls_;
  std::vector<Slab> slabs_;
};

}  // namespace

std::string_view to_string(SlabScheme scheme) {
  constexpr std::array<std::string_view, all_slab_schemes.size()> names{
      "baseline", "left-right", "pairwise", "threads", "threads+p2p", "left-right+mpi", "pairwise+mpi"};
  return names.at(static_cast<std::size_t>(scheme));
}

double simulate_slab_step(const machine::MachineMap& map, const SlabStep& step, SlabScheme scheme) {
  const std::int64_t devices = map.devices_of(node_id(0));
  if (step.devices < 1 || step.devices > devices) {
    throw InvalidArgument(
        fmt::format("devices is {}; allowed is 1 to {}, the devices of a node", step.devices, devices));
  }
  if (step.extent.z % step.devices != 0 || step.extent.z / step.devices < 2) {
    throw InvalidArgument(
        fmt::format("size in z is {}; allowed is a multiple of the number of devices, {}, of 2 planes each or more",
                    step.extent.z, step.devices));
  }
  if (step.copy_engines != 1 && step.copy_engines != 2) {
    throw InvalidArgument(fmt::format("copy_engines is {}; allowed is 1 or 2", step.copy_engines));
  }
  return Slabs(map, step).run(scheme);
}

}  // namespace halocline::model
