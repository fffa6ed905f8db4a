// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "device/host.hpp"
#include "halocline/halocline.hpp"
#include "support/lattice.hpp"

namespace halocline::test {

/// Delays packing and unpacking on one device.
class LatePacking final : public device::Injector {
 public:
  explicit LatePacking(int device = 1) : device_(device) {}
  std::atomic<Duration> delay{Duration{}};
  device::Injection before(device::Operation operation, int device) override {
    device::Injection injection;
    if (device == device_ && operation == device::Operation::copy_list) injection.delay = delay;
    return injection;
  }

 private:
  int device_;
};

/// A domain whose cells hold their position, plus a value.
struct Numbered {
  static constexpr Vec3 extent{8, 8, 16};
  Numbered(comm::RankGroup& comm, const DomainOptions& options, const Stencil& stencil = Stencil::box(1))
      : domain(extent, stencil, comm, options) {
    u = domain.add_field<std::int64_t>("u", {.buffers = 2});
    domain.realize();
  }
  static std::int64_t at(Vec3 p) {
    for (int dim = 0; dim < 3; ++dim) p[dim] = (p[dim] + extent[dim]) % extent[dim];
    return (p.z * extent.y + p.y) * extent.x + p.x;
  }
  void fill(std::int64_t value) {
    filled_.clear();
    for (const Subdomain& s : domain.subdomains()) {
      const auto view = s.view(u);
      filled_.push_back(view);
      for_each_cell(view.with_halo(), [&](const Vec3& p) { view(p) = view.owned().contains(p) ? at(p) + value : -1; });
    }
  }
  /// Cells without their value.
  [[nodiscard]] int wrong(std::int64_t value) const {
    int n = 0;
    for (const Subdomain& s : domain.subdomains()) {
      const auto view = s.view(u);
      for_each_cell(view.with_halo(), [&](const Vec3& p) { n += view(p) == at(p) + value ? 0 : 1; });
    }
    return n;
  }
  /// Halo cells in z that have changed since fill(), also after the domain has failed.
  [[nodiscard]] int above_and_below() const {
    int n = 0;
    for (const auto& view : filled_) {
      for_each_cell(view.with_halo(), [&](const Vec3& p) {
        const bool others = p.z < view.owned().lo.z || p.z >= view.owned().hi.z;
        n += others && view(p) != -1 ? 1 : 0;
      });
    }
    return n;
  }
  Domain domain;
  Field<std::int64_t> u;

 private:
  std::vector<View<std::int64_t>> filled_;
};

/// Exchanges of two domains under way at once, behind work that takes `late`; odd ranks finish the second one first, unless the order
/// is checked: the check meets other ranks in finish(), so that the order must be the same there.
inline void expect_right_in_opposite_orders(comm::RankGroup& comm, DomainOptions options, bool checked,
                                            std::chrono::milliseconds late) {
  options.debug.validate_ordering = checked;
  Numbered a(comm, options);
  Numbered b(comm, options);
  const auto start = [&](Numbered& made) {
    for (const Subdomain& s : made.domain.subdomains()) {
      s.stream().host_function([late] { std::this_thread::sleep_for(late); });
    }
    return made.domain.start_exchange();
  };
  for (int step = 0; step < 3; ++step) {
    a.fill(10 + step);
    b.fill(20 + step);
    std::array<ExchangeHandle, 2> handles{start(a), start(b)};
    const std::size_t first = checked ? 0 : comm.rank().index() % 2;
    handles[first].finish();
    handles[1 - first].finish();
    a.domain.synchronize();
    b.domain.synchronize();
    EXPECT_EQ(a.wrong(10 + step), 0);
    EXPECT_EQ(b.wrong(20 + step), 0);
    comm.barrier();
  }
  a.domain.close();
  b.domain.close();
}

}  // namespace halocline::test
