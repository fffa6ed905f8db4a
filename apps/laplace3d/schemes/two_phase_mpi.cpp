// SPDX-License-Identifier: BSD-3-Clause
// A process a device, with two streams, as in two_phase.cpp; sides go from pinned memory to pinned memory by messages of MPI. The
// process waits for its copy to the host before it sends, and for the message before it copies to the device.
#include <fmt/core.h>

#include <chrono>
#include <thread>

#include "comm/requests.hpp"
#include "core/clock.hpp"
#include "device/backend.hpp"
#include "domain/internals.hpp"
#include "halocline/error.hpp"
#include "laplace3d/schemes/schemes.hpp"

namespace laplace3d {
namespace {

using halocline::comm::PersistentRequest;
using halocline::device::Buffer;
using halocline::device::Event;
using halocline::device::Stream;

template <typename T>
class TwoPhaseMpi : public Scheme {
 public:
  TwoPhaseMpi(const Setting<T>& setting, Phases phases)
      : setting_(setting), phases_(phases), slab_(slabs_of(*setting.domain).at(0)) {
    const auto& plan = internals(*setting.domain).plan();
    const auto& partition = plan.geometry.partition;
    const halocline::Vec3 index = partition.index_of(slab_.subdomain().id());
    number_ = static_cast<std::size_t>(index.z);
    const int device = slab_.device();
    for (auto* stream : {&border_, &inner_}) *stream = setting.backend->create_stream(device);
    for (auto* event : {&border_done_, &inner_done_}) *event = setting.backend->create_event(device);
    for (const Side side : sides) {
      if (!slab_.has_neighbour(side)) continue;
      const auto beside_z = static_cast<std::int64_t>(beside(number_, side));
      open(links_[index_of(side)], side, plan.owner(partition.at({index.x, index.y, beside_z})));
    }
  }

  void run(std::int64_t cycles) override {
    const int steps = setting_.domain->plan().steps_per_exchange;
    const Arrays<T> arrays(slab_, setting_.field);
    setting_.domain->synchronize();
    for (std::int64_t cycle = 0; cycle < cycles; ++cycle) run_cycle(arrays, cycle, steps);
    border_->synchronize();
    inner_->synchronize();
    done_ += cycles;
    if (cycles * steps % 2 != 0) setting_.domain->swap(setting_.field);
    setting_.domain->synchronize();
  }

  [[nodiscard]] std::string detail() const override {
    const auto backend = setting_.messages->backend();
    if (backend == halocline::comm::CommBackend::mpi || setting_.messages->size() == 1) return {};
    return fmt::format("messages by '{}' instead of MPI", to_string(backend));
  }

 private:
  /// What connects this process with the one on a side.
  struct Link {
    std::unique_ptr<Buffer> outgoing;
    /// Two, used in turn: a stream may still read one while the next message arrives.
    Staging incoming;
    std::unique_ptr<PersistentRequest> send;
    std::array<std::unique_ptr<PersistentRequest>, 2> receive;
  };

  void open(Link& link, Side side, halocline::rank_id neighbour) {
    const auto bytes = planes_of(slab_.subdomain().view(setting_.field), slab_.side(side)).bytes;
    link.outgoing = setting_.backend->allocate_pinned(bytes);
    link.incoming = make_staging(setting_, slab_, side);
    // The tag is the side that a message leaves by.
    const int tag = static_cast<int>(index_of(side));
    const int other = static_cast<int>(index_of(opposite(side)));
    link.send = setting_.messages->persistent_send({link.outgoing->data(), bytes}, neighbour, tag);
    for (std::size_t slot = 0; slot < 2; ++slot) {
      link.receive[slot] =
          setting_.messages->persistent_receive({link.incoming[slot]->data(), bytes}, neighbour, other);
    }
  }

  void run_cycle(const Arrays<T>& arrays, std::int64_t cycle, int steps) {
    const std::int64_t last = (cycle + 1) * steps - 1;
    border_->wait(*inner_done_);
    for (int t = 0; t < steps - 1; ++t) {
      step(*setting_.kernels, *border_, slab_.subdomain().update_box(t), arrays, cycle * steps + t);
    }
    const std::array boxes{slab_.side(Side::lower), slab_.side(Side::upper)};
    setting_.kernels->update(*border_, boxes, arrays.source(last), arrays.at(last + 1));
    border_->record(*border_done_);
    inner_->wait(*border_done_);
    step(*setting_.kernels, *inner_, slab_.inner(), arrays, last);
    inner_->record(*inner_done_);
    for (int phase = 0; phase < 2; ++phase) exchange(arrays, cycle, last + 1, phase);
  }

  void exchange(const Arrays<T>& arrays, std::int64_t cycle, std::int64_t state, int phase) {
    const auto [to, from] = roles(phases_, number_, phase);
    const bool sends = slab_.has_neighbour(to);
    const bool receives = slab_.has_neighbour(from);
    Link& target = links_[index_of(to)];
    Link& source = links_[index_of(from)];
    // The stream has read what was in this slot two cycles ago: it was synchronised in the cycle between, before the side towards the
    // same neighbour was sent.
    const auto slot = slot_of(done_ + cycle);
    if (receives) source.receive[slot]->start();
    if (sends) {
      const Planes planes = planes_of(arrays.at(state), slab_.side(to));
      border_->copy(target.outgoing->data(), planes.data, planes.bytes);
      border_->synchronize();
      target.send->start();
    }
    if (receives) {
      await(*source.receive[slot], "a neighbour's side");
      const Planes planes = planes_of(arrays.at(state), slab_.ghost(from));
      border_->copy(planes.data, source.incoming[slot]->data(), planes.bytes);
    }
    if (sends) await(*target.send, "the end of a message to a neighbour");
  }

  void await(PersistentRequest& request, const char* what) const {
    if (request.test()) return;
    const halocline::Deadline deadline(setting_.messages->clock(), setting_.timeout);
    while (!request.test()) {
      if (deadline.expired()) {
        throw halocline::DeadlineError(fmt::format("laplace3d: {} is late by more than {} s", what,
                                                   std::chrono::duration<double>(setting_.timeout).count()));
      }
      std::this_thread::yield();
    }
  }

  Setting<T> setting_;
  Phases phases_;
  Slab slab_;
  std::size_t number_ = 0;  ///< of the slab, from below
  std::int64_t done_ = 0;   ///< cycles of earlier runs
  std::unique_ptr<Stream> border_;
  std::unique_ptr<Stream> inner_;
  std::unique_ptr<Event> border_done_;
  std::unique_ptr<Event> inner_done_;
  std::array<Link, 2> links_;  ///< by side
};

}  // namespace

template <typename T>
std::unique_ptr<Scheme> make_two_phase_mpi(const Setting<T>& setting, Phases phases) {
  return std::make_unique<TwoPhaseMpi<T>>(setting, phases);
}

template std::unique_ptr<Scheme> make_two_phase_mpi(const Setting<float>&, Phases);
template std::unique_ptr<Scheme> make_two_phase_mpi(const Setting<double>&, Phases);

}  // namespace laplace3d
