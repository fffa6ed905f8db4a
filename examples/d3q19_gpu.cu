// SPDX-License-Identifier: BSD-3-Clause
// The lattice Boltzmann code of d3q19.cpp on all GPUs of this process, in single precision (nvcc --expt-relaxed-constexpr): two buffers, and in
// place in one. Without arguments it checks the viscosity. `d3q19_gpu N`, or `d3q19_gpu X Y Z`, times steps of so many cells beside what
// memory takes for their bytes.
#include <cuda_runtime.h>

#include <halocline/halocline.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "d3q19_lattice.hpp"

namespace {

using Field = hc::Field<float>;
constexpr std::size_t populations = 19;

/// Calls body(std::integral_constant<std::size_t, c>) for all populations: their velocities are constants of the code.
template <typename Body>
__device__ void for_each_population(Body body) {
  [&]<std::size_t... c>(std::index_sequence<c...>) { (body(std::integral_constant<std::size_t, c>{}), ...); }
  (std::make_index_sequence<populations>{});
}

template <std::size_t c, std::size_t dim>
inline constexpr int velocity_v = lattice::velocities[c][dim];
template <std::size_t c>
inline constexpr auto weight_v = static_cast<float>(lattice::weight(c));
template <std::size_t c>
inline constexpr int opposite_v = static_cast<int>(lattice::opposite(c));

__device__ void collide(float (&f)[populations]) {
  float density = 0, x = 0, y = 0, z = 0;
  for_each_population([&](auto c) {
    density += f[c];
    x += static_cast<float>(velocity_v<c, 0>) * f[c];
    y += static_cast<float>(velocity_v<c, 1>) * f[c];
    z += static_cast<float>(velocity_v<c, 2>) * f[c];
  });
  const float inverse = 1 / density;
  x *= inverse;
  y *= inverse;
  z *= inverse;
  constexpr auto rate = static_cast<float>(1 / lattice::relaxation_time);
  const float base = 1 - 1.5F * (x * x + y * y + z * z);
  for_each_population([&](auto c) {
    const float along = static_cast<float>(velocity_v<c, 0>) * x + static_cast<float>(velocity_v<c, 1>) * y +
                        static_cast<float>(velocity_v<c, 2>) * z;
    f[c] += rate * (weight_v<c> * density * (base + along * (3 + 4.5F * along)) - f[c]);
  });
}

enum class Way {
  two_buffers,            ///< populations stream from where they come from, and collide
  stream_collide_stream,  ///< in place, first of two steps: also out again, into the halo
  collide_in_place        ///< second of two steps: each population is stored as its opposite
};

/// A thread for each cell. x has no halo: it is periodic here, and not cut.
template <Way way>
__global__ void advance(hc::Box part, hc::View<const float> now, hc::View<float> next, int nx) {
  const auto x = static_cast<int>(part.lo.x) + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= part.hi.x) return;
  const auto y = static_cast<int>(part.lo.y + blockIdx.y);
  const auto z = static_cast<int>(part.lo.z + blockIdx.z);
  const int left = x == 0 ? nx - 1 : x - 1;
  const int right = x == nx - 1 ? 0 : x + 1;
  const auto moved = [&](int by) { return by < 0 ? left : by > 0 ? right : x; };
  float f[populations];
  for_each_population([&](auto c) {
    if constexpr (way == Way::collide_in_place) {
      f[c] = now(x, y, z, c);
    } else {
      f[c] = now(moved(-velocity_v<c, 0>), y - velocity_v<c, 1>, z - velocity_v<c, 2>,
                 way == Way::two_buffers ? static_cast<int>(c) : opposite_v<c>);
    }
  });
  collide(f);
  for_each_population([&](auto c) {
    if constexpr (way == Way::two_buffers) {
      next(x, y, z, c) = f[c];
    } else if constexpr (way == Way::collide_in_place) {
      next(x, y, z, opposite_v<c>) = f[c];
    } else {
      next(moved(velocity_v<c, 0>), y + velocity_v<c, 1>, z + velocity_v<c, 2>, c) = f[c];
    }
  });
}

std::vector<hc::Vec3> velocities(int sign) {
  std::vector<hc::Vec3> all;
  for (const auto& e : lattice::velocities) all.push_back({sign * e[0], sign * e[1], sign * e[2]});
  return all;
}

hc::DomainOptions options() {
  hc::DomainOptions chosen{.devices = {.kind = hc::DeviceKind::cuda}};
  chosen.boundaries = {hc::Boundary::periodic_in_kernel, hc::Boundary::periodic, hc::Boundary::periodic};
  return chosen;
}

/// A domain, and its populations before they stream. Both variants advance by two steps at a time, which are a graph of each GPU.
class Fluid {
 public:
  Fluid(const hc::Vec3& extent, bool in_place)
      : domain_(extent, hc::Stencil::box(1).without_corners(), options()),
        f_(domain_.add_field<float>(
            "f", {.components = populations,
                  .buffers = in_place ? 1 : 2,
                  .component_directions = hc::directions_of_velocities(velocities(in_place ? -1 : 1))})),
        in_place_(in_place),
        nx_(static_cast<int>(extent.x)) {
    domain_.realize();
    if (!domain_.subdomains()[0].wraps(0)) throw hc::InvalidArgument("the domain is cut in x; allowed are fewer GPUs");
  }

  void fill() {
    for (const auto& s : domain_.subdomains()) {
      const hc::HostArray<float> start(s, f_);
      hc::for_each_cell(s.owned(), [&](const hc::Vec3& p) {
        const auto all = lattice::equilibrium(1, lattice::velocity_of(0.02 * lattice::wave(p.x, p.y, p.z)));
        for (std::size_t c = 0; c < populations; ++c) start(p, stored(c)) = static_cast<float>(all[c]);
      });
      start.upload(s, f_);
    }
  }

  [[nodiscard]] hc::Graph record_two_steps() {
    if (in_place_)
      domain_.accumulate(hc::Combine::replace);  // the first one allocates; halos are overwritten by the exchange
    auto capture = domain_.capture();
    if (in_place_) {
      step<Way::stream_collide_stream>();
      domain_.accumulate(hc::Combine::replace);  // what streamed into halos goes to its owner
      for (const auto& s : domain_.subdomains()) launch<Way::collide_in_place>(s, s.owned());
    } else {
      for (int i = 0; i < 2; ++i) {
        step<Way::two_buffers>();
        domain_.swap(f_);
      }
    }
    return capture.finish();
  }

  [[nodiscard]] double amplitude() {
    double sum = 0;
    for (const auto& s : domain_.subdomains()) {
      const auto found = hc::to_host(s, f_);
      hc::for_each_cell(s.owned(), [&](const hc::Vec3& p) {
        lattice::Populations all{};
        for (std::size_t c = 0; c < populations; ++c) all[c] = found(p, stored(c));
        sum += lattice::part_of_amplitude(all, lattice::wave(p.x, p.y, p.z));
      });
    }
    return sum;
  }

  [[nodiscard]] hc::Domain& domain() { return domain_; }

 private:
  [[nodiscard]] int stored(std::size_t c) const { return static_cast<int>(in_place_ ? lattice::opposite(c) : c); }

  template <Way way>
  void launch(const hc::Subdomain& s, const hc::Box& part) const {
    if (part.empty()) return;
    const hc::DeviceGuard current(s);
    const auto size = part.extent();
    constexpr unsigned width = 128;
    const dim3 blocks((static_cast<unsigned>(size.x) + width - 1) / width, static_cast<unsigned>(size.y),
                      static_cast<unsigned>(size.z));
    advance<way><<<blocks, width, 0, hc::cuda_stream(s.stream())>>>(
        part, s.read(f_), way == Way::two_buffers ? s.write(f_) : s.view(f_), nx_);
  }

  template <Way way>
  void step() {
    if (domain_.subdomains().size() == 1) {  // no other GPU to wait for
      domain_.exchange();
      return launch<way>(domain_.subdomains()[0], domain_.subdomains()[0].owned());
    }
    auto exchange = domain_.start_exchange();
    for (const auto& s : domain_.subdomains()) launch<way>(s, s.interior());
    exchange.finish();
    for (const auto& s : domain_.subdomains()) {
      for (const auto& box : s.boundary()) launch<way>(s, box);
    }
  }

  hc::Domain domain_;
  Field f_;
  bool in_place_;
  int nx_;
};

double seconds_of(hc::Domain& domain, int times, const auto& work) {
  domain.synchronize();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) work();
  domain.synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / times;
}

__global__ void copy(const float4* from, float4* to, std::size_t count) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count; i += step)
    to[i] = from[i];
}

/// Bytes a second that a kernel reads and writes, on the first GPU: the best of several.
double memory_rate() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  float4 *from = nullptr, *to = nullptr;
  cudaEvent_t start{}, end{};
  if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess)
    throw hc::DeviceError("no memory for copies of 1 GiB");
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  float best = 1e9F;
  for (int i = 0; i < 20; ++i) {
    cudaEventRecord(start);
    copy<<<132 * 16, 512>>>(from, to, bytes / sizeof(float4));
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, start, end);
    best = std::min(best, milliseconds);
  }
  cudaFree(from);
  cudaFree(to);
  return 2e3 * static_cast<double>(bytes) / static_cast<double>(best);
}

int check() {
  const hc::Vec3 extent{lattice::extent[0], lattice::extent[1], lattice::extent[2]};
  bool good = true;
  for (const bool in_place : {false, true}) {
    Fluid fluid(extent, in_place);
    const hc::Graph steps = fluid.record_two_steps();
    fluid.fill();
    double before = 0;
    for (int step = 0; step < lattice::last_step; step += 2) {
      if (step == lattice::first_step) before = fluid.amplitude();
      steps.launch();
    }
    const double measured = lattice::measured_viscosity(before, fluid.amplitude());
    std::cout << (in_place ? "in place" : "two buffers") << ": viscosity " << measured << ", in theory "
              << lattice::viscosity << '\n';
    good = good && std::abs(measured / lattice::viscosity - 1) < 0.01;
    fluid.domain().close();
  }
  std::cout << (good ? "passed\n" : "FAILED\n");
  return good ? 0 : 1;
}

void time_steps(const hc::Vec3& extent) {
  const double rate = memory_rate();
  std::cout << "a copy in memory, read plus written: " << rate / 1e9 << " GB/s\n";
  for (const bool in_place : {false, true}) {
    Fluid fluid(extent, in_place);
    const hc::Graph steps = fluid.record_two_steps();
    fluid.fill();
    seconds_of(fluid.domain(), 5, [&] { steps.launch(); });
    std::vector<double> times;
    for (int i = 0; i < 5; ++i) times.push_back(seconds_of(fluid.domain(), 20, [&] { steps.launch(); }) / 2);
    std::sort(times.begin(), times.end());
    const auto gpus = static_cast<double>(fluid.domain().subdomains().size());
    const double bound = static_cast<double>(extent.volume()) * 2 * populations * sizeof(float) / rate / gpus;
    std::cout << (in_place ? "in place" : "two buffers") << ": " << 1e3 * times[2] << " ms a step ("
              << 1e3 * times.front() << " to " << 1e3 * times.back() << "), "
              << static_cast<double>(extent.volume()) / times[2] / 1e6 << " million cells a second; "
              << 100 * bound / times[2] << " % of the bound by bytes, " << 1e3 * bound << " ms\n";
    fluid.domain().close();
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 1) return check();
    const std::int64_t n = std::stoll(argv[1]);
    time_steps(argc == 4 ? hc::Vec3{n, std::stoll(argv[2]), std::stoll(argv[3])} : hc::Vec3::filled(n));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
