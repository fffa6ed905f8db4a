// SPDX-License-Identifier: BSD-3-Clause
// Each way in which direct sends a message (rows, packed pieces, packets), at sizes for which it is the default; the
// GPUs compare every cell.
#include <cuda_runtime_api.h>

#include "device/backend.hpp"
#include "domain/internals.hpp"
#include "exchange/detail/split_payload.hpp"
#include "exchange/exchange.hpp"
#include "gpu/exchange/gpus.hpp"
#include "gpu/stress/kernels.hpp"
#include "halocline/halocline.hpp"
#include "partition/halo.hpp"
#include "plan/plan.hpp"

namespace halocline::test {
namespace {

enum class Way { rows, pieces, packets };

/// Two GPUs of one rank, adjacent in one dimension, with `cells` cells each way.
struct SizeCase {
  const char* name;
  Way way;
  std::int64_t cells;
  int cut;  ///< 0 x, 2 z
};

class GpuWays : public testing::TestWithParam<SizeCase> {};

/// How a domain sends the messages between the two GPUs in an exchange of all fields.
std::vector<Way> ways_of(const Domain& domain, int fields) {
  exchange::Selection selection;
  for (int f = 0; f < fields; ++f) selection.items.push_back({field_id(f), 0});
  const auto& geometry = internals(domain).geometry();
  std::vector<Way> ways;
  for (const RoutedMessage& routed : internals(domain).routes()) {
    if (routed.route.transport != routing::Transport::direct) continue;
    for (const auto& message : partition::outgoing(geometry, routed.route.from)) {
      if (message.to != routed.route.to) continue;
      const auto split = exchange::split_payload(message, selection, geometry, exchange::Tuning(),
                                                 {routed.route.in_place, routed.route.packets});
      if (!split.packets.segments.empty()) ways.push_back(Way::packets);
      if (!split.pieces.empty()) ways.push_back(Way::pieces);
      if (!split.rows.segments.empty()) ways.push_back(Way::rows);
    }
  }
  return ways;
}

TEST_P(GpuWays, BringEveryCell) {
  HALOCLINE_NEEDS_GPUS(2);
  const SizeCase& c = GetParam();
  DomainOptions options;
  options.devices.existing.emplace(gpus_of_rank(0, 2));
  options.partition.method = partition::Method::given;
  options.partition.node_grid = Vec3{1, 1, 1};
  options.partition.device_grid = Vec3{1, 1, 1};
  (*options.partition.device_grid)[c.cut] = 2;
  Vec3 extent = Vec3::filled(c.cells);
  extent[c.cut] *= 2;
  Domain domain(extent, Stencil::box(3), options);
  const Field<float> fields[] = {domain.add_field<float>("u"), domain.add_field<float>("v")};
  domain.realize();
  const auto skip = [&](const std::string& why) {
    domain.close();
    return why;
  };
  for (const RoutedMessage& routed : internals(domain).routes()) {
    const auto& route = routed.route;
    if (route.from == route.to) continue;
    if (route.transport != routing::Transport::direct) GTEST_SKIP() << skip("not direct here: " + route.reason);
    if (c.way == Way::packets && !route.packets) GTEST_SKIP() << skip("no packets here: " + route.reason);
  }
  const std::vector<Way> ways = ways_of(domain, 2);
  EXPECT_EQ(std::count(ways.begin(), ways.end(), c.way), 2) << "both directions go that way";

  std::vector<std::unique_ptr<device::Buffer>> counts;
  for (const Subdomain& s : domain.subdomains()) {
    counts.push_back(internals(domain).backend().allocate_shareable(s.device(), sizeof(StressCount)));  // zero at first
  }
  const auto each = [&](auto&& f) {
    for (std::size_t s = 0; s < domain.subdomains().size(); ++s) {
      const Subdomain& subdomain = domain.subdomains()[s];
      ASSERT_EQ(cudaSetDevice(internals(domain).backend().info(subdomain.device()).native_ordinal), cudaSuccess);
      for (std::uint64_t field = 0; field < 2; ++field) f(subdomain, field, counts[s]->data());
    }
  };
  for (std::uint64_t step = 0; step < 10; ++step) {
    each([&](const Subdomain& s, std::uint64_t field, std::byte*) {
      test::fill(s.stream().native(), s.view(fields[field]), {extent, field, step, 1, 0});
    });
    domain.exchange();
    each([&](const Subdomain& s, std::uint64_t field, std::byte* count) {
      compare(s.stream().native(), s.view(fields[field]), {extent, field, step, 1, 0},
              reinterpret_cast<StressCount*>(count));
    });
  }
  domain.synchronize();
  const auto landed = internals(domain).backend().allocate_pinned(sizeof(StressCount));
  const auto& count = *reinterpret_cast<const StressCount*>(landed->data());
  for (std::size_t s = 0; s < domain.subdomains().size(); ++s) {
    const Subdomain& subdomain = domain.subdomains()[s];
    stream_of(subdomain).copy(landed->data(), counts[s]->data(), sizeof(StressCount));
    subdomain.stream().synchronize();
    const auto cells = internals(domain).geometry().with_halo(fields[0].id, subdomain.id()).extent().volume();
    EXPECT_EQ(static_cast<std::int64_t>(count.compared), 20 * cells);
    EXPECT_EQ(count.wrong, 0u) << "one of them (" << count.first_cell[0] << ", " << count.first_cell[1] << ", "
                               << count.first_cell[2] << ") in exchange " << count.first_step - 1;
  }
  domain.close();
}

INSTANTIATE_TEST_SUITE_P(
    sizes, GpuWays,
    testing::Values(SizeCase{"rows_256", Way::rows, 256, 2}, SizeCase{"rows_512", Way::rows, 512, 2},
                    SizeCase{"pieces_256", Way::pieces, 256, 0}, SizeCase{"pieces_512", Way::pieces, 512, 0},
                    SizeCase{"packets_64", Way::packets, 64, 2}, SizeCase{"packets_64_in_x", Way::packets, 64, 0}),
    [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace halocline::test
