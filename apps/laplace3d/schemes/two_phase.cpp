// SPDX-License-Identifier: BSD-3-Clause
// A thread a device, with two streams: one computes the sides and exchanges them, in two phases, one computes inner points.
// The thread waits for a copy to the host before the neighbour may take it over, as it would have to with MPI.
#include "device/backend.hpp"
#include "laplace3d/schemes/schemes.hpp"
#include "laplace3d/thread_team.hpp"

namespace laplace3d {
namespace {

using halocline::device::Event;
using halocline::device::Stream;

template <typename T>
class TwoPhase : public Scheme {
 public:
  TwoPhase(const Setting<T>& setting, Phases phases)
      : setting_(setting),
        phases_(phases),
        slabs_(slabs_of(*setting.domain)),
        steps_(setting.domain->plan().steps_per_exchange),
        members_(slabs_.size()),
        team_(static_cast<int>(slabs_.size()), setting.timeout) {
    for (std::size_t i = 0; i < slabs_.size(); ++i) {
      const Slab& slab = slabs_[i];
      Member& member = members_[i];
      for (auto* stream : {&member.border, &member.inner}) *stream = setting.backend->create_stream(slab.device());
      for (auto* event : {&member.border_done, &member.inner_done}) {
        *event = setting.backend->create_event(slab.device());
      }
      for (const Side side : sides) {
        if (slab.has_neighbour(side)) member.staging[index_of(side)] = make_staging(setting, slab, side);
      }
    }
  }

  void run(std::int64_t cycles) override {
    setting_.domain->synchronize();
    team_.run([&](int member) {
      const auto i = static_cast<std::size_t>(member);
      const Arrays<T> arrays(slabs_[i], setting_.field);
      for (std::int64_t cycle = 0; cycle < cycles; ++cycle) run_cycle(i, arrays, cycle);
      members_[i].border->synchronize();
      members_[i].inner->synchronize();
    });
    done_ += cycles;
    if (cycles * steps_ % 2 != 0) setting_.domain->swap(setting_.field);
    setting_.domain->synchronize();
  }

 private:
  struct Member {
    std::unique_ptr<Stream> border;
    std::unique_ptr<Stream> inner;
    std::unique_ptr<Event> border_done;
    std::unique_ptr<Event> inner_done;
    std::array<Staging, 2> staging;   ///< by side
    std::array<Milestone, 2> staged;  ///< by side: the cycle whose planes are in the host's memory
  };

  void run_cycle(std::size_t i, const Arrays<T>& arrays, std::int64_t cycle) {
    const Slab& slab = slabs_[i];
    Member& me = members_[i];
    const std::int64_t last = (cycle + 1) * steps_ - 1;
    me.border->wait(*me.inner_done);
    for (int t = 0; t < steps_ - 1; ++t) {
      step(*setting_.kernels, *me.border, slab.subdomain().update_box(t), arrays, cycle * steps_ + t);
    }
    const std::array boxes{slab.side(Side::lower), slab.side(Side::upper)};
    setting_.kernels->update(*me.border, boxes, arrays.source(last), arrays.at(last + 1));
    me.border->record(*me.border_done);
    me.inner->wait(*me.border_done);
    step(*setting_.kernels, *me.inner, slab.inner(), arrays, last);
    me.inner->record(*me.inner_done);
    for (int phase = 0; phase < 2; ++phase) exchange(i, arrays, cycle, phase);
  }

  void exchange(std::size_t i, const Arrays<T>& arrays, std::int64_t cycle, int phase) {
    const Slab& slab = slabs_[i];
    Member& me = members_[i];
    const auto [to, from] = roles(phases_, i, phase);
    const std::int64_t number = done_ + cycle + 1;
    const std::int64_t state = (cycle + 1) * steps_;
    const auto slot = slot_of(number);
    if (slab.has_neighbour(to)) {
      // The neighbour has taken over what was in this slot: it waited for its stream before it sent its planes of the
      // cycle between, and those have been taken over here.
      const Planes planes = planes_of(arrays.at(state), slab.side(to));
      me.border->copy(me.staging[index_of(to)][slot]->data(), planes.data, planes.bytes);
      me.border->synchronize();
      me.staged[index_of(to)].reach(number);
    }
    if (slab.has_neighbour(from)) {
      const Member& neighbour = members_[beside(i, from)];
      const auto other = index_of(opposite(from));
      neighbour.staged[other].await(number, team_, "a neighbour's side");
      const Planes planes = planes_of(arrays.at(state), slab.ghost(from));
      me.border->copy(planes.data, neighbour.staging[other][slot]->data(), planes.bytes);
    }
  }

  Setting<T> setting_;
  Phases phases_;
  std::vector<Slab> slabs_;
  int steps_;
  std::int64_t done_ = 0;  ///< cycles of earlier runs
  std::vector<Member> members_;
  ThreadTeam team_;
};

}  // namespace

template <typename T>
std::unique_ptr<Scheme> make_two_phase(const Setting<T>& setting, Phases phases) {
  return std::make_unique<TwoPhase<T>>(setting, phases);
}

template std::unique_ptr<Scheme> make_two_phase(const Setting<float>&, Phases);
template std::unique_ptr<Scheme> make_two_phase(const Setting<double>&, Phases);

}  // namespace laplace3d
