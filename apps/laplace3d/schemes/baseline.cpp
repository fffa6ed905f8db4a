// SPDX-License-Identifier: BSD-3-Clause
// One thread of the host drives all devices, and waits: nothing overlaps.
#include "device/backend.hpp"
#include "laplace3d/schemes/schemes.hpp"

namespace laplace3d {
namespace {

template <typename T>
class Baseline : public Scheme {
 public:
  explicit Baseline(const Setting<T>& setting) : setting_(setting), slabs_(slabs_of(*setting.domain)) {
    for (const Slab& slab : slabs_) {
      streams_.push_back(setting.backend->create_stream(slab.device()));
      auto& staging = staging_.emplace_back();
      for (const Side side : sides) {
        if (slab.has_neighbour(side)) staging[index_of(side)] = make_staging(setting, slab, side);
      }
    }
  }

  void run(std::int64_t cycles) override {
    std::vector<Arrays<T>> arrays;
    for (const Slab& slab : slabs_) arrays.emplace_back(slab, setting_.field);
    const int steps = setting_.domain->plan().steps_per_exchange;
    setting_.domain->synchronize();
    for (std::int64_t cycle = 0; cycle < cycles; ++cycle) {
      for (std::size_t i = 0; i < slabs_.size(); ++i) {
        for (int t = 0; t < steps; ++t) {
          step(*setting_.kernels, *streams_[i], slabs_[i].subdomain().update_box(t), arrays[i], cycle * steps + t);
        }
      }
      exchange(arrays, (cycle + 1) * steps);
    }
    if (cycles * steps % 2 != 0) setting_.domain->swap(setting_.field);
    setting_.domain->synchronize();
  }

 private:
  void exchange(const std::vector<Arrays<T>>& arrays, std::int64_t state) {
    for_each_side([&](std::size_t i, Side side) {
      const Planes from = planes_of(arrays[i].at(state), slabs_[i].side(side));
      streams_[i]->copy(staging_[i][index_of(side)][0]->data(), from.data, from.bytes);
    });
    synchronize();
    for_each_side([&](std::size_t i, Side side) {
      const Planes to = planes_of(arrays[i].at(state), slabs_[i].ghost(side));
      streams_[i]->copy(to.data, staging_[beside(i, side)][index_of(opposite(side))][0]->data(), to.bytes);
    });
    synchronize();
  }

  template <typename F>
  void for_each_side(F&& f) {
    for (std::size_t i = 0; i < slabs_.size(); ++i) {
      for (const Side side : sides) {
        if (slabs_[i].has_neighbour(side)) f(i, side);
      }
    }
  }

  void synchronize() {
    for (const auto& stream : streams_) stream->synchronize();
  }

  Setting<T> setting_;
  std::vector<Slab> slabs_;
  std::vector<std::array<Staging, 2>> staging_;
  std::vector<std::unique_ptr<halocline::device::Stream>> streams_;
};

}  // namespace

template <typename T>
std::unique_ptr<Scheme> make_baseline(const Setting<T>& setting) {
  return std::make_unique<Baseline<T>>(setting);
}

template std::unique_ptr<Scheme> make_baseline(const Setting<float>&);
template std::unique_ptr<Scheme> make_baseline(const Setting<double>&);

}  // namespace laplace3d
