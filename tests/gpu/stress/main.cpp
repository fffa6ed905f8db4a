// SPDX-License-Identifier: BSD-3-Clause
// gpu_stress <exchanges> <transports> <cells> [seed]: consecutive exchanges of two fields in blocks of cells^3 on each
// GPU; one field has two buffers that are swapped. Before each exchange, kernels whose blocks pause at random write all
// cells and poison all halos with NaN; after it every cell is compared. Ranks pause at random, too. With or without a
// launcher. Exit code 0 if all cells were right, 77 if there are too few GPUs, 1 after an error.
#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include <cstdlib>
#include <thread>
#include <utility>

#include "core/clock.hpp"
#include "device/backend.hpp"
#include "device/cuda_backend.hpp"
#include "domain/internals.hpp"
#include "gpu/stress/kernels.hpp"
#include "halocline/halocline.hpp"
#include "support/seeded.hpp"

namespace halocline::test {
namespace {

struct Arguments {
  std::int64_t exchanges = 1000;
  std::string transports;
  std::int64_t cells = 16;
  std::uint64_t seed = 1;
};

/// As few cuts in x as possible.
Vec3 extent_for(std::int64_t subdomains, std::int64_t cells) {
  Vec3 grid{1, 1, 1};
  for (int dim = 2; subdomains > 1; dim = dim == 2 ? 1 : 2) {
    const std::int64_t factor = subdomains % 2 == 0 ? 2 : subdomains;
    grid[dim] *= factor;
    subdomains /= factor;
  }
  return {grid.x * cells, grid.y * cells, grid.z * cells};
}

int run(comm::RankGroup& world, const Arguments& arguments) {
  DomainOptions options = DomainOptions::from(Environment::read());
  options.routing.policy = routing::Policy::parse(arguments.transports);
  const auto gpus = static_cast<std::int64_t>(device::cuda_devices().size());
  const std::int64_t subdomains = std::max<std::int64_t>(gpus / world.size(), 1) * world.size();
  const Vec3 extent = extent_for(subdomains, arguments.cells);
  Domain domain(extent, Stencil::box(3), world, options);
  const auto u = domain.add_field<float>("u");
  const auto v = domain.add_field<float>("v", {.buffers = 2});
  domain.realize();
  if (internals(domain).backend().kind() != halocline::DeviceKind::cuda)
    throw InternalError("the domain is not on GPUs");

  const auto subdomain_count = domain.subdomains().size();
  std::vector<std::unique_ptr<device::Buffer>> counts;
  for (const Subdomain& s : domain.subdomains()) {
    counts.push_back(internals(domain).backend().allocate_shareable(s.device(), sizeof(StressCount)));  // zero at first
  }
  const Duration begun = Clock::steady().now();
  Seeded seeded(arguments.seed * 1000 + static_cast<std::uint64_t>(world.rank().value()));
  for (std::int64_t i = 0; i < arguments.exchanges; ++i) {
    const auto each = [&](auto&& f) {
      for (std::size_t s = 0; s < subdomain_count; ++s) {
        const Subdomain& subdomain = domain.subdomains()[s];
        cudaSetDevice(internals(domain).backend().info(subdomain.device()).native_ordinal);
        f(subdomain, StressStep{extent, 0, static_cast<std::uint64_t>(i), seeded.next(), 20000},
          reinterpret_cast<StressCount*>(counts[s]->data()));
      }
    };
    each([&](const Subdomain& subdomain, StressStep step, StressCount*) {
      fill(subdomain.stream().native(), subdomain.view(u), step);
      step.field = 1;
      fill(subdomain.stream().native(), subdomain.view(v), step);
    });
    if (seeded.chance(2)) std::this_thread::sleep_for(std::chrono::microseconds(seeded.between(1, 300)));
    auto exchange = domain.start_exchange();
    if (seeded.chance(2)) std::this_thread::sleep_for(std::chrono::microseconds(seeded.between(1, 300)));
    exchange.finish();
    each([&](const Subdomain& subdomain, StressStep step, StressCount* count) {
      compare(subdomain.stream().native(), subdomain.view(u), step, count);
      step.field = 1;
      compare(subdomain.stream().native(), subdomain.view(v), step, count);
    });
    domain.swap(v);
    if (i % 32 == 31) domain.synchronize();
  }
  domain.synchronize();
  const std::chrono::duration<double> took = Clock::steady().now() - begun;

  const auto landed = internals(domain).backend().allocate_pinned(sizeof(StressCount));
  const auto& count = *reinterpret_cast<const StressCount*>(landed->data());
  std::int64_t sums[2] = {};
  for (std::size_t s = 0; s < subdomain_count; ++s) {
    auto& stream = stream_of(domain.subdomains()[s]);
    stream.copy(landed->data(), counts[s]->data(), sizeof(StressCount));
    stream.synchronize();
    sums[0] += static_cast<std::int64_t>(count.compared);
    sums[1] += static_cast<std::int64_t>(count.wrong);
    if (count.wrong > 0) {
      fmt::print("rank {}: subdomain {}: {} cells wrong, one of them ({}, {}, {}) in exchange {}\n",
                 world.rank().value(), domain.subdomains()[s].id().value(), count.wrong, count.first_cell[0],
                 count.first_cell[1], count.first_cell[2], count.first_step - 1);
    }
  }
  world.all_reduce(std::span<std::int64_t>(sums), comm::Reduction::sum);
  if (world.rank() == rank_id(0)) {
    std::string used;
    for (const auto transport : routing::all_transports) {
      if (internals(domain).traffic(transport).messages > 0) used += fmt::format(" {}", routing::to_string(transport));
    }
    fmt::print(
        "gpu_stress: {} exchanges, {} ranks, {} subdomains of {}^3,{}: {} cells compared, {} wrong, {:.1f} us each\n",
        arguments.exchanges, world.size(), subdomains, arguments.cells, used, sums[0], sums[1],
        took.count() * 1e6 / static_cast<double>(arguments.exchanges));
  }
  counts.clear();
  domain.close();
  return sums[1] == 0 && sums[0] > 0 ? 0 : 1;
}

}  // namespace
}  // namespace halocline::test

namespace halocline::test {
namespace {

/// The exit code of a skipped run.
constexpr int skipped = 77;

/// Why this run is not possible; empty if it is. direct alone is refused if ranks share a GPU.
std::string missing(comm::RankGroup& world, const std::string& transports) {
  const auto gpus = device::cuda_devices().size();
  if (gpus == 0) return "no GPU";
  if (transports != "direct" || std::cmp_less_equal(world.size(), gpus)) return {};
  return fmt::format("direct needs a GPU a rank; {} ranks see {} GPUs", world.size(), gpus);
}

/// One line for each result or error.
int run_or_report(comm::Session& session, const Arguments& arguments) {
  const auto rank = session.world().rank().value();
  try {
    if (const std::string why = missing(session.world(), arguments.transports); !why.empty()) {
      if (rank == 0) fmt::print("gpu_stress: skipped: {}\n", why);
      return skipped;
    }
    return run(session.world(), arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpu_stress: rank {}: {}\n", rank, error.what());
    std::fflush(stdout);
    session.abort(1);  // other ranks may be waiting for this one
  }
}

}  // namespace
}  // namespace halocline::test

int main(int argc, char** argv) {
  using namespace halocline;
  test::Arguments arguments;
  if (argc < 4) {
    fmt::print(stderr, "gpu_stress <exchanges> <transports> <cells> [seed]\n");
    return 2;
  }
  arguments.exchanges = std::atoll(argv[1]);
  arguments.transports = argv[2];
  arguments.cells = std::atoll(argv[3]);
  if (argc > 4) arguments.seed = std::strtoull(argv[4], nullptr, 10);
  try {
    comm::Session session(&argc, &argv, Environment::read());
    return test::run_or_report(session, arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpu_stress: {}\n", error.what());
    return 1;
  }
}
