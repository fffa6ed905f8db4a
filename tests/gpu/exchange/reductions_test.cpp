// SPDX-License-Identifier: BSD-3-Clause
// Reductions on GPUs: numbers whose sums are exact, and captured with exchanges; ranks are threads that drive different GPUs.
#include <algorithm>
#include <cmath>

#include "comm/local_ranks.hpp"
#include "gpu/exchange/gpus.hpp"
#include "halocline/halocline.hpp"
#include "support/captured.hpp"
#include "support/seeded.hpp"

namespace halocline::test {
namespace {

class GpuReduction : public testing::TestWithParam<std::tuple<routing::Transport, int>> {};

constexpr Vec3 reduced_extent{100, 80, 72};

double number_at(const Vec3& p, std::uint64_t seed) {
  Seeded seeded(seed * 10'000'000 + static_cast<std::uint64_t>((p.z * 100 + p.y) * 100 + p.x));
  return static_cast<double>(seeded.between(-2500, 1500)) / 8;
}

/// The owned cells, and NaN around them.
template <typename T>
void upload_numbers(const Subdomain& s, Field<T> field, std::uint64_t seed) {
  HostArray<T> cells(s, field);
  for_each_cell(cells.view().with_halo(), [&](const Vec3& p) {
    cells(p) = static_cast<T>(cells.view().owned().contains(p) ? number_at(p, seed) : std::nan(""));
  });
  cells.upload(s, field);
}

TEST_P(GpuReduction, is_as_a_plain_loop_says_eager_and_captured) {
  const auto [transport, ranks] = GetParam();
  HALOCLINE_NEEDS_GPUS(ranks);
  if (transport == routing::Transport::direct && ranks > 1) {
    if (const std::string why = without_peer_access(); !why.empty()) GTEST_SKIP() << why;
  }
  comm::run_as_threads(ranks, [&, transport, ranks](comm::RankGroup& comm) {
    const int devices = std::max(gpu_count() / ranks, 1);
    DomainOptions options;
    options.devices.existing.emplace(gpus_of_rank(static_cast<int>(comm.rank().value()) * devices, devices));
    options.routing.policy.order = {transport, routing::Transport::self, routing::Transport::mpi_staged};
    Domain domain(reduced_extent, Stencil::box(2), comm, options);
    const auto u = domain.add_field<double>("u");
    const auto v = domain.add_field<float>("v");
    const std::vector<reduction_id> all{domain.add_reduction(u, Reduce::sum),
                                        domain.add_reduction(v, Reduce::sum_of_squares),
                                        domain.add_reduction(u, Reduce::min), domain.add_reduction(v, Reduce::max),
                                        domain.add_reduction(u, Reduce::max_abs)};
    domain.realize();
    std::optional<Graph> graph;
    if (transport == routing::Transport::direct) {
      graph.emplace(captured(domain, [&] {
        domain.reduce(all);
        domain.exchange();
        domain.reduce(all);
      }));
    }
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      std::array<double, 5> expected{0, 0, HUGE_VAL, -HUGE_VAL, 0};
      for_each_cell(Box::of_extent(reduced_extent), [&](const Vec3& p) {
        const double a = number_at(p, seed), b = number_at(p, seed + 50);
        expected = {expected[0] + a, expected[1] + b * b, std::min(expected[2], a), std::max(expected[3], b),
                    std::max(expected[4], std::abs(a))};
      });
      for (const Subdomain& s : domain.subdomains()) {
        upload_numbers(s, u, seed);
        upload_numbers(s, v, seed + 50);
      }
      if (graph && seed % 2 == 0) {
        for (int i = 0; i < 100; ++i) graph->launch();
      } else {
        domain.reduce(all);
      }
      for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(domain.value(all[i]), expected[i])
            << "reduction " << i << ", seed " << seed << ", rank " << comm.rank().value();
      }
    }
    domain.close();
  });
}

INSTANTIATE_TEST_SUITE_P(all, GpuReduction,
                         testing::Combine(testing::Values(routing::Transport::direct, routing::Transport::peer_copy,
                                                          routing::Transport::mpi_staged),
                                          testing::Values(1, 2, 4)),
                         [](const auto& param) {
                           return std::string(routing::to_string(std::get<0>(param.param))) + "_" +
                                  std::to_string(std::get<1>(param.param)) + "_ranks";
                         });

}  // namespace
}  // namespace halocline::test
