// SPDX-License-Identifier: BSD-3-Clause
// Arrays of the user's as std::mdspan, here an array of structures with padded rows: vectors (z, y, x, component). Halocline
// exchanges their halos in place. The same steps in Halocline's own memory, where each component is an array, give the same bits.
#include <halocline/halocline.hpp>

#if defined(__cpp_lib_mdspan) || __cplusplus > 202002L
#include <mdspan>
namespace md = std;
#else  // CUDA's, for compilers of C++20
#include <cuda/std/array>
#include <cuda/std/mdspan>
namespace md = cuda::std;
#endif

#include <array>
#include <cmath>
#include <cstring>
#include <iostream>
#include <vector>

namespace {

constexpr hc::Vec3 extent{20, 24, 28};
constexpr hc::Vec3 halo = hc::Vec3::filled(1);
constexpr int components = 3;
constexpr int steps = 30;

/// The vectors of a subdomain with its halo.
class Vectors {
 public:
  using Span = md::mdspan<double, md::dextents<std::int64_t, 4>, md::layout_stride>;

  explicit Vectors(const hc::Box& owned) : first_(owned.lo - halo) {
    const hc::Vec3 cells = owned.extent() + halo + halo;
    const std::int64_t row = cells.x * components + 5;  // padded
    memory_.assign(static_cast<std::size_t>(cells.z * cells.y * row), std::nan(""));
    span_ = Span(memory_.data(), {md::dextents<std::int64_t, 4>(cells.z, cells.y, cells.x, components),
                                  md::array<std::int64_t, 4>{cells.y * row, row, components, 1}});
  }
  double& operator()(const hc::Vec3& cell, int component) const {
    const hc::Vec3 p = cell - first_;
    return span_[md::array<std::int64_t, 4>{p.z, p.y, p.x, component}];
  }
  [[nodiscard]] const Span& span() const { return span_; }

 private:
  hc::Vec3 first_;
  std::vector<double> memory_;
  Span span_;
};

double start_value(const hc::Vec3& p, int component) {
  return std::sin(0.7 * static_cast<double>(p.x + 2 * p.y - p.z) + component);
}

/// One step of diffusion, where now and next are views, or vectors.
template <typename Now, typename Next>
void diffuse(const hc::Box& part, const Now& now, const Next& next) {
  hc::for_each_cell(part, [&](const hc::Vec3& p) {
    for (int c = 0; c < components; ++c) {
      double sum = 0;
      for (const hc::Vec3& step : {hc::Vec3{1, 0, 0}, hc::Vec3{0, 1, 0}, hc::Vec3{0, 0, 1}}) {
        sum += now(p - step, c) + now(p + step, c);
      }
      next(p, c) = now(p, c) + 0.1 * (sum - 6 * now(p, c));
    }
  });
}

hc::Domain make_domain() {
  return hc::Domain(extent, hc::Stencil::star(1), {.devices = {.kind = hc::DeviceKind::host, .per_rank = 2}});
}

}  // namespace

int main() {
  const hc::FieldDescriptor vectors{.components = components, .buffers = 2};
  hc::Domain domain = make_domain();
  const auto u = domain.add_field<double>("u", vectors);
  domain.plan();  // the subdomains are known, and the arrays can be made
  std::vector<std::array<Vectors, 2>> mine;
  for (const auto& s : domain.subdomains()) mine.push_back({Vectors(s.owned()), Vectors(s.owned())});
  for (std::size_t i = 0; i < mine.size(); ++i) {
    for (int buffer : {0, 1}) {
      const auto& span = mine[i][static_cast<std::size_t>(buffer)].span();
      domain.use_array(u, domain.subdomains()[i].id(), buffer, hc::array_of(span, "zyxc", halo, halo));
    }
  }
  domain.realize();

  hc::Domain other = make_domain();
  const auto v = other.add_field<double>("v", vectors);
  other.realize();

  for (std::size_t i = 0; i < mine.size(); ++i) {
    hc::for_each_cell(domain.subdomains()[i].owned(), [&](const hc::Vec3& p) {
      for (int c = 0; c < components; ++c) {
        mine[i][0](p, c) = start_value(p, c);
        other.subdomains()[i].view(v)(p, c) = start_value(p, c);
      }
    });
  }
  for (std::size_t step = 0; step < steps; ++step) {
    domain.exchange();
    other.exchange();
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const auto& here = domain.subdomains()[i];
      const auto& there = other.subdomains()[i];
      here.launch(here.owned(), [&now = mine[i][step % 2], &next = mine[i][(step + 1) % 2]](const hc::Box& box) {
        diffuse(box, now, next);
      });
      there.launch(there.owned(),
                   [now = there.read(v), next = there.write(v)](const hc::Box& box) { diffuse(box, now, next); });
    }
    domain.swap(u);
    other.swap(v);
  }
  domain.synchronize();
  other.synchronize();

  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    hc::for_each_cell(domain.subdomains()[i].owned(), [&](const hc::Vec3& p) {
      for (int c = 0; c < components; ++c) {
        const double here = mine[i][steps % 2](p, c);
        const double there = other.subdomains()[i].view(v)(p, c);
        wrong += std::memcmp(&here, &there, sizeof here) == 0 ? 0 : 1;
      }
    });
  }
  domain.close();
  other.close();
  std::cout << extent.volume() << " vectors, " << steps << " steps, " << wrong << " wrong\n";
  return wrong == 0 ? 0 : 1;
}
