// SPDX-License-Identifier: BSD-3-Clause
// For each device a thread that computes the inner points, and one a neighbour that computes that side and exchanges it;
// a stream for the inner points and two for each side. All start together, and nothing is exchanged in phases. Threads wait
// for each other only until an event is recorded; the rest is the devices' order.
#include "device/backend.hpp"
#include "laplace3d/schemes/schemes.hpp"
#include "laplace3d/thread_team.hpp"

namespace laplace3d {
namespace {

using halocline::device::Event;
using halocline::device::Stream;

/// A mark of every cycle, for other threads' streams. Those wait for cycle c between reach(c) and their own mark of c or
/// c + 1, which this thread awaits before it records c + 2: so two events are enough.
class Mark {
 public:
  void make(halocline::device::Backend& backend, int device) {
    for (auto& event : events_) event = backend.create_event(device);
  }
  void record(Stream& stream, std::int64_t cycle) {
    stream.record(*events_[slot_of(cycle)]);
    recorded_.reach(cycle);
  }
  /// Later work in the stream comes after the mark of a cycle; nothing for cycle 0 and before, which is over.
  void order(Stream& stream, std::int64_t cycle, const ThreadTeam& team, const char* what) const {
    if (cycle < 1) return;
    recorded_.await(cycle, team, what);
    stream.wait(*events_[slot_of(cycle)]);
  }

 private:
  std::array<std::unique_ptr<Event>, 2> events_;
  Milestone recorded_;
};

/// Lets a thread enqueue no more than some cycles ahead.
class Pace {
 public:
  Pace(halocline::device::Backend& backend, Stream& stream) : backend_(&backend), stream_(&stream) {
    for (auto& mark : marks_) mark = backend.create_event(stream.device());
  }
  void keep(std::int64_t cycle) {
    if (cycle % cycles_between != 0) return;
    const auto turn = static_cast<std::size_t>(cycle / cycles_between);
    stream_->record(*marks_[turn % 2]);
    const Event& before = *marks_[(turn + 1) % 2];
    backend_->wait_until([&before] { return before.query(); }, {});
  }

 private:
  static constexpr std::int64_t cycles_between = 16;
  halocline::device::Backend* backend_;
  Stream* stream_;
  std::array<std::unique_ptr<Event>, 2> marks_;
};

template <typename T>
class Threads : public Scheme {
 public:
  Threads(const Setting<T>& setting, Way way)
      : setting_(setting),
        way_(way),
        slabs_(slabs_of(*setting.domain)),
        steps_(setting.domain->plan().steps_per_exchange),
        centres_(slabs_.size()),
        borders_(slabs_.size()),
        jobs_(jobs_of(slabs_)),
        team_(static_cast<int>(jobs_.size()), setting.timeout) {
    auto& backend = *setting.backend;
    for (std::size_t i = 0; i < slabs_.size(); ++i) {
      const int device = slabs_[i].device();
      centres_[i].stream = backend.create_stream(device);
      for (Mark* mark : {&centres_[i].swept, &centres_[i].done}) mark->make(backend, device);
      for (const Side side : sides) {
        if (!slabs_[i].has_neighbour(side)) continue;
        Border& border = borders_[i][index_of(side)];
        border.send = backend.create_stream(device, halocline::device::Priority::high);
        border.receive = backend.create_stream(device, halocline::device::Priority::high);
        for (Mark* mark : {&border.computed, &border.sent, &border.arrived}) mark->make(backend, device);
        if (way == Way::through_host) border.staging = make_staging(setting, slabs_[i], side);
      }
    }
  }

  void run(std::int64_t cycles) override {
    setting_.domain->synchronize();
    team_.run([&](int member) {
      const Job& job = jobs_[static_cast<std::size_t>(member)];
      const Arrays<T> arrays(slabs_[job.slab], setting_.field);
      if (job.side) {
        assist(job.slab, *job.side, cycles);
      } else {
        lead(job.slab, arrays, cycles);
      }
    });
    done_ += cycles;
    if (cycles * steps_ % 2 != 0) setting_.domain->swap(setting_.field);
    setting_.domain->synchronize();
  }

  [[nodiscard]] std::string detail() const override {
    if (way_ == Way::through_host) return {};
    int staged = 0;
    int pairs = 0;
    for (std::size_t i = 0; i + 1 < slabs_.size(); ++i) {
      for (const auto& [from, to] : {std::pair(i, i + 1), std::pair(i + 1, i)}) {
        ++pairs;
        staged += setting_.backend->peer_access(slabs_[from].device(), slabs_[to].device()).yes ? 0 : 1;
      }
    }
    if (staged == 0) return {};
    return std::to_string(staged) + " of " + std::to_string(pairs) + " copies staged by the driver: no peer access";
  }

 private:
  /// A thread's: the inner points of a slab, or one of its sides.
  struct Job {
    std::size_t slab;
    std::optional<Side> side;
  };
  struct Centre {
    std::unique_ptr<Stream> stream;
    Mark swept;  ///< all steps of the cycle but the last one, where there are several
    Mark done;   ///< the last one, for the inner points
  };
  struct Border {
    std::unique_ptr<Stream> send;
    std::unique_ptr<Stream> receive;
    Mark computed;  ///< the side's last step of the cycle
    Mark sent;      ///< and the neighbour may take it
    Mark arrived;   ///< the neighbour's is in the halo
    Staging staging;
  };

  static std::vector<Job> jobs_of(const std::vector<Slab>& slabs) {
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < slabs.size(); ++i) {
      jobs.push_back({i, std::nullopt});
      for (const Side side : sides) {
        if (slabs[i].has_neighbour(side)) jobs.push_back({i, side});
      }
    }
    return jobs;
  }

  [[nodiscard]] const Border& neighbour_of(std::size_t i, Side side) const {
    return borders_[beside(i, side)][index_of(opposite(side))];
  }

  void lead(std::size_t i, const Arrays<T>& arrays, std::int64_t cycles) {
    Centre& me = centres_[i];
    Stream& stream = *me.stream;
    Pace pace(*setting_.backend, stream);
    for (std::int64_t local = 1; local <= cycles; ++local) {
      const std::int64_t cycle = done_ + local;
      const std::int64_t last = local * steps_ - 1;
      for (const Side side : sides) {
        if (!slabs_[i].has_neighbour(side)) continue;
        const Border& border = borders_[i][index_of(side)];
        border.computed.order(stream, cycle - 1, team_, "a side");
        if (steps_ == 1) continue;
        // Steps before the last one read what arrived, and overwrite what was sent.
        border.arrived.order(stream, cycle - 1, team_, "a halo");
        neighbour_of(i, side).arrived.order(stream, cycle - 1, team_, "a neighbour's halo");
      }
      for (int t = 0; t < steps_ - 1; ++t) {
        step(*setting_.kernels, stream, slabs_[i].subdomain().update_box(t), arrays, (local - 1) * steps_ + t);
      }
      if (steps_ > 1) me.swept.record(stream, cycle);
      step(*setting_.kernels, stream, slabs_[i].inner(), arrays, last);
      me.done.record(stream, cycle);
      pace.keep(local);
    }
    stream.synchronize();
  }

  void assist(std::size_t i, Side side, std::int64_t cycles) {
    Border& me = borders_[i][index_of(side)];
    const Border& neighbour = neighbour_of(i, side);
    const Arrays<T> arrays(slabs_[i], setting_.field);
    for (std::int64_t local = 1; local <= cycles; ++local) {
      const std::int64_t cycle = done_ + local;
      compute(i, side, arrays, local);
      const Planes mine = planes_of(arrays.at(local * steps_), slabs_[i].side(side));
      if (way_ == Way::through_host) me.send->copy(me.staging[slot_of(cycle)]->data(), mine.data, mine.bytes);
      me.sent.record(*me.send, cycle);

      // The halo's last reader comes after this side's step.
      me.computed.order(*me.receive, cycle, team_, "a side");
      neighbour.sent.order(*me.receive, cycle, team_, "a neighbour's side");
      const Planes halo = planes_of(arrays.at(local * steps_), slabs_[i].ghost(side));
      me.receive->copy(halo.data, source_of(i, side, local), halo.bytes);
      me.arrived.record(*me.receive, cycle);
    }
    me.send->synchronize();
    me.receive->synchronize();
  }

  /// Where the neighbour's side is to be taken from.
  [[nodiscard]] const std::byte* source_of(std::size_t i, Side side, std::int64_t local) const {
    if (way_ == Way::through_host) return neighbour_of(i, side).staging[slot_of(done_ + local)]->data();
    const Slab& other = slabs_[beside(i, side)];
    return planes_of(Arrays<T>(other, setting_.field).at(local * steps_), other.side(opposite(side))).data;
  }

  /// The last step of a cycle for a side's planes.
  void compute(std::size_t i, Side side, const Arrays<T>& arrays, std::int64_t local) {
    Border& me = borders_[i][index_of(side)];
    const std::int64_t cycle = done_ + local;
    if (steps_ > 1) {
      centres_[i].swept.order(*me.send, cycle, team_, "the inner points");
    } else {
      centres_[i].done.order(*me.send, cycle - 1, team_, "the inner points");
      // What was sent two cycles ago, from these planes or their staging, has arrived, too: the neighbour's side that came
      // with this mark was computed after it.
      me.arrived.order(*me.send, cycle - 1, team_, "a halo");
      if (slabs_[i].inner().empty() && slabs_[i].has_neighbour(opposite(side))) {
        borders_[i][index_of(opposite(side))].computed.order(*me.send, cycle - 1, team_, "the other side");
      }
    }
    step(*setting_.kernels, *me.send, slabs_[i].side(side), arrays, local * steps_ - 1);
    me.computed.record(*me.send, cycle);
  }

  Setting<T> setting_;
  Way way_;
  std::vector<Slab> slabs_;
  int steps_;
  std::int64_t done_ = 0;  ///< cycles of earlier runs
  std::vector<Centre> centres_;
  std::vector<std::array<Border, 2>> borders_;  ///< by side
  std::vector<Job> jobs_;
  ThreadTeam team_;
};

}  // namespace

template <typename T>
std::unique_ptr<Scheme> make_threads(const Setting<T>& setting, Way way) {
  return std::make_unique<Threads<T>>(setting, way);
}

template std::unique_ptr<Scheme> make_threads(const Setting<float>&, Way);
template std::unique_ptr<Scheme> make_threads(const Setting<double>&, Way);

}  // namespace laplace3d
