// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "halocline/error.hpp"
#include "machines.hpp"
#include "mapping/quality.hpp"
#include "patterns.hpp"

namespace halocline::mapping {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Each process sends to its neighbours in a ring.
CommunicationMatrix ring(int ranks, std::int64_t bytes = 1000) {
  CommunicationMatrix matrix(ranks);
  for (int r = 0; r < ranks; ++r) matrix.add(r, (r + 1) % ranks, bytes);
  return matrix;
}

JobRequest request_of(const machine::MachineMap& map, const CommunicationMatrix* cpu, const CommunicationMatrix* gpu,
                      Strategy strategy) {
  JobRequest request;
  request.machine = &map;
  request.cpu = cpu;
  request.gpu = gpu;
  request.strategy = strategy;
  return request;
}

/// One process a core, GPUs shared evenly, only free cores and GPUs.
void expect_fits(const JobRequest& request, const std::vector<Seat>& seats) {
  const auto free = request.free.empty() ? all_free(*request.machine) : request.free;
  std::set<std::pair<int, int>> cores;
  std::vector<std::map<int, int>> users(free.size());
  for (const Seat& seat : seats) {
    const auto& parts = free[static_cast<std::size_t>(seat.node)];
    EXPECT_TRUE(cores.emplace(seat.node, seat.core).second);
    EXPECT_TRUE(std::ranges::count(parts.cores, seat.core) == 1);
    EXPECT_EQ(std::ranges::count(parts.devices, seat.device), parts.devices.empty() ? 0 : 1);
    if (seat.device >= 0) ++users[static_cast<std::size_t>(seat.node)][seat.device];
  }
  for (std::size_t n = 0; n < free.size(); ++n) {
    int most = 0, sum = 0;
    for (const auto& [device, count] : users[n]) {
      most = std::max(most, count);
      sum += count;
    }
    const int gpus = static_cast<int>(free[n].devices.size());
    if (gpus > 0) {
      EXPECT_EQ(most, (sum + gpus - 1) / gpus) << "node " << n;
    }
  }
}

TEST(Job, in_order_fills_node_after_node) {
  const auto map = cluster_a();
  const auto matrix = ring(18);
  const auto mapping = map_job(request_of(map, &matrix, nullptr, Strategy::in_order));
  EXPECT_EQ(mapping.seats[15], (Seat{0, 15, 15}));
  EXPECT_EQ(mapping.seats[16], (Seat{1, 0, 0}));
  EXPECT_EQ(mapping.most_sharing, 1);
}

TEST(Job, takes_nodes_that_differ) {
  const auto map = machine_of({dual_node(2, 2), dual_node(6, 8), dual_node(1, 2)}, {0, 1, 2});
  for (const int ranks : {5, 12, 18}) {  // 12 GPUs; the last job needs all 18 cores
    const auto matrix = ring(ranks);
    for (const Strategy strategy : all_strategies) {
      const auto request = request_of(map, &matrix, &matrix, strategy);
      expect_fits(request, map_job(request).seats);
    }
  }
  EXPECT_THAT(node_capacities(map, all_free(map), 12), ElementsAre(2, 8, 2));
  EXPECT_THAT(node_capacities(map, all_free(map), 13), ElementsAre(4, 12, 2));
}

TEST(Job, leaves_alone_what_is_occupied) {
  const auto map = cluster_a();
  const auto matrix = ring(20);
  auto request = request_of(map, &matrix, &matrix, Strategy::best);
  request.free = {{{1, 2, 20}, {4, 5}}, {{}, {}}, {{0, 5, 6, 7}, {}}, all_free(map)[3]};
  EXPECT_THAT(node_capacities(map, request.free, 18), ElementsAre(2, 0, 0, 16));
  for (const Strategy strategy : all_strategies) {
    request.strategy = strategy;
    const auto mapping = map_job(request);
    expect_fits(request, mapping.seats);
    EXPECT_EQ(mapping.most_sharing, 2) << to_string(strategy);  // 18 GPUs with cores for them, 20 ranks
  }
}

TEST(Job, does_without_gpus) {
  const auto map = machine_of({dual_node(4, 0)}, {0, 0});
  const auto matrix = ring(9);
  const auto mapping = map_job(request_of(map, &matrix, nullptr, Strategy::best));
  for (const Seat& seat : mapping.seats) EXPECT_EQ(seat.device, -1);
  EXPECT_EQ(mapping.most_sharing, 0);
}

TEST(Job, gives_the_same_answer_again) {
  const auto map = cluster_b();
  const auto cpu = pattern_matrix(Pattern::stencil_2d, true);
  const auto gpu = pattern_matrix(Pattern::alltoall, true);
  for (const Strategy strategy : all_strategies) {
    const auto request = request_of(map, &cpu, &gpu, strategy);
    EXPECT_EQ(map_job(request).seats, map_job(request).seats) << to_string(strategy);
  }
}

TEST(Job, strategies_differ_in_what_they_look_at) {
  const auto map = machine_of({dual_node(2, 4)}, {0, 0});
  CommunicationMatrix cpu(8), gpu(8);
  for (int r = 0; r < 8; r += 2) cpu.add(r, r + 1, 100);  // pairs of neighbours
  for (int r = 0; r < 4; ++r) gpu.add(r, r + 4, 10000);   // pairs across
  for (int r = 0; r < 8; r += 4) gpu.add(r, r + 2, 500);  // and a little within groups
  const auto magc = map_job(request_of(map, &cpu, &gpu, Strategy::magc)).seats;
  const auto one = map_job(request_of(map, &cpu, &gpu, Strategy::strategy1)).seats;
  const auto two = map_job(request_of(map, &cpu, &gpu, Strategy::strategy2)).seats;
  for (std::size_t r = 0; r < 4; ++r) {
    EXPECT_EQ(magc[r].node, magc[r + 4].node);
    EXPECT_EQ(one[2 * r].node, one[2 * r + 1].node);
    EXPECT_EQ(one[r].node, two[r].node);
    EXPECT_EQ(one[r].core, two[r].core);
  }
  int next[2] = {0, 0};
  for (const Seat& seat : two) EXPECT_EQ(seat.device, next[seat.node]++);
  EXPECT_EQ(one[0].device / 2, one[2].device / 2);  // behind one switch
  EXPECT_NE(two[0].device / 2, two[2].device / 2);
}

std::set<int> nodes_of(const JobMapping& mapping) {
  std::set<int> nodes;
  for (const Seat& seat : mapping.seats) nodes.insert(seat.node);
  EXPECT_EQ(mapping.nodes, std::ssize(nodes));
  return nodes;
}

TEST(Job, stays_on_as_few_nodes_as_it_fits_unless_asked) {
  auto map = machine_of({dual_node(4, 4)}, std::vector<int>(6, 0));
  const CommunicationMatrix silent(8);  // spreading costs nothing
  for (const Strategy strategy : all_strategies) {
    auto request = request_of(map, &silent, &silent, strategy);
    EXPECT_EQ(map_job(request).nodes, 2) << to_string(strategy);
    request.nodes = 1;  // 8 cores, 4 GPUs
    EXPECT_EQ(map_job(request).nodes, 1) << to_string(strategy);
    EXPECT_EQ(map_job(request).most_sharing, 2) << to_string(strategy);
    request.nodes = 100;
    EXPECT_LE(map_job(request).nodes, 6) << to_string(strategy);
  }
}

TEST(Job, takes_nodes_that_are_near_each_other) {
  auto map = machine_of({dual_node(4, 4)}, std::vector<int>(12, 0));
  map.network.fabric = {1, machine::FatTree{{{4, {8e9, 1e-7}}, {4, {32e9, 1e-7}}}}};
  const auto matrix = ring(12);
  auto request = request_of(map, &matrix, nullptr, Strategy::best);
  request.free = all_free(map);
  for (const std::size_t node : {0U, 2U, 3U, 6U}) request.free[node] = {};  // left: 1, 4, 5, 7, and a leaf from 8 on
  EXPECT_EQ(nodes_of(map_job(request)), (std::set<int>{4, 5, 7}));
  request.free[5] = {};
  EXPECT_EQ(nodes_of(map_job(request)), (std::set<int>{8, 9, 10}));
  request.free[9].devices = {0, 1};  // no three neighbours are left with 12 GPUs
  request.free[4] = request.free[10] = {};
  EXPECT_EQ(nodes_of(map_job(request)), (std::set<int>{1, 7, 8}));
}

// All to all: on two nodes the ports carry 16 messages each way, on eight 7.
TEST(Job, spreads_where_asked) {
  const auto map = machine_of({dual_node(4, 4)}, std::vector<int>(8, 0));
  CommunicationMatrix matrix(8);
  for (int from = 0; from < 8; ++from) {
    for (int to = 0; to < 8; ++to) {
      if (from != to) matrix.add(from, to, 4000);
    }
  }
  auto request = request_of(map, nullptr, &matrix, Strategy::best);
  const JobMapping together = map_job(request);
  EXPECT_EQ(nodes_of(together), (std::set<int>{0, 1}));
  EXPECT_DOUBLE_EQ(assess(request, together.seats).together.maximum(), 16e-6);
  request.spread = true;
  const JobMapping spread = map_job(request);
  EXPECT_EQ(std::ssize(nodes_of(spread)), 8);
  EXPECT_DOUBLE_EQ(assess(request, spread.seats).together.maximum(), 7e-6);
}

TEST(Job, refuses_what_does_not_fit) {
  const auto map = machine_of({dual_node(2, 2)}, {0, 0});
  const auto nine = ring(9);
  const auto two = ring(2);
  const auto five = ring(5);
  auto on_one = request_of(map, &five, nullptr, Strategy::best);
  on_one.nodes = 1;
  EXPECT_THAT(
      [&] { static_cast<void>(map_job(on_one)); },
      ThrowsMessage<InvalidArgument>("5 processes on 1 node, with too few free cores for them; allowed is 2 or more"));
  const auto job = [&](const CommunicationMatrix* cpu, const CommunicationMatrix* gpu, std::vector<FreeParts> free) {
    return [&map, cpu, gpu, free] {
      auto request = request_of(map, cpu, gpu, Strategy::best);
      request.free = free;
      static_cast<void>(map_job(request));
    };
  };
  EXPECT_THAT(job(&nine, nullptr, {}),
              ThrowsMessage<InvalidArgument>(HasSubstr("9 processes on a machine with 8 free cores; allowed is")));
  EXPECT_THAT(job(nullptr, nullptr, {}), ThrowsMessage<InvalidArgument>(HasSubstr("no communication matrix is given")));
  EXPECT_THAT(job(&nine, &two, {}), ThrowsMessage<InvalidArgument>(
                                        "the matrix of CPUs has 9 ranks, that of GPUs 2; allowed is the same number"));
  EXPECT_THAT(job(&two, &two, {{{0, 4}, {}}, {{}, {}}}),
              ThrowsMessage<InvalidArgument>("core 4 of node 'n0' is free; allowed is 0 to 3"));
  EXPECT_THAT(job(&two, &two, {{{1, 1}, {}}, {{}, {}}}),
              ThrowsMessage<InvalidArgument>("core 1 of node 'n0' follows 1; allowed is an ascending list"));
  EXPECT_THAT(job(&two, &two, {{{0, 1, 2}, {}}, {{1}, {0}}}),
              ThrowsMessage<InvalidArgument>(HasSubstr("the nodes with free GPUs have only 1 free cores")));
  EXPECT_THAT(job(&two, &two, {{{-1}, {}}, {{}, {}}}),
              ThrowsMessage<InvalidArgument>("core -1 of node 'n0' is free; allowed is 0 to 3"));
  EXPECT_THAT(job(&two, &two, {{{0, 1}, {}}}),
              ThrowsMessage<InvalidArgument>("free parts of 1 nodes; allowed is 2, one for each node"));
  const auto nine_on_two = [&] {
    const auto large = machine_of({dual_node(2, 0)}, {0, 0, 0});
    auto request = request_of(large, &nine, nullptr, Strategy::magc);
    request.nodes = 2;
    static_cast<void>(map_job(request));
  };
  EXPECT_THAT(nine_on_two, ThrowsMessage<InvalidArgument>(
                               "9 processes on 2 nodes, with too few free cores for them; allowed is 3 or more"));
  const auto without_gpus = machine_of({dual_node(2, 0)}, {0});
  auto gpu = request_of(without_gpus, &two, nullptr, Strategy::best);
  gpu.free = {{{0, 1}, {0}}};
  EXPECT_THAT([&] { static_cast<void>(map_job(gpu)); },
              ThrowsMessage<InvalidArgument>("device 0 of node 'n0' is free; allowed is none, it has 0"));
}

// 100 bytes between nodes, 10 from GPU 0 to GPU 1 over a switch, 7 from core 0 to core 2 over the packages.
TEST(Quality, counts_bytes_on_each_level) {
  const auto map = machine_of({dual_node(2, 4)}, {0, 0});
  CommunicationMatrix cpu(3), gpu(3);
  cpu.add(0, 1, 7);
  gpu.add(0, 1, 10);
  gpu.add(0, 2, 60);
  cpu.add(0, 2, 40);
  const auto request = request_of(map, &cpu, &gpu, Strategy::best);
  const auto quality = assess(request, {{0, 0, 0}, {0, 2, 1}, {1, 0, 0}});
  const auto level = [](const Quality& one, const std::string& name) {
    for (const auto& l : one.levels) {
      if (l.level == name) return l;
    }
    return LevelQuality{};
  };
  EXPECT_EQ(quality.cpu.hop_bytes, 7 * 5 + 40 * 2);
  EXPECT_EQ(quality.gpu.hop_bytes, 10 * 2 + 60 * 2);
  EXPECT_EQ(quality.together.hop_bytes, quality.cpu.hop_bytes + quality.gpu.hop_bytes);
  EXPECT_DOUBLE_EQ(level(quality.together, "network").maximum, 100 / 4e9);
  EXPECT_DOUBLE_EQ(level(quality.together, "network").average, 2 * 100 / 4e9 / 4);
  EXPECT_DOUBLE_EQ(level(quality.cpu, "network").maximum, 40 / 4e9);
  EXPECT_DOUBLE_EQ(level(quality.together, "inter_package").maximum, 7 / 16e9);
  EXPECT_DOUBLE_EQ(level(quality.together, "pcie").maximum, 10 / 12e9);
  EXPECT_DOUBLE_EQ(quality.together.maximum(), 100 / 4e9);
  // GPUs of two packages: CPU and GPU traffic share the link between them.
  const auto shared = assess(request, {{0, 0, 0}, {0, 2, 2}, {1, 0, 0}});
  EXPECT_DOUBLE_EQ(level(shared.together, "inter_package").maximum, 17 / 16e9);
}

TEST(Seats, are_told_apart_by_node_core_and_device) {
  const Seat seat{1, 2, 3};
  EXPECT_FALSE(seat == (Seat{0, 2, 3}));
  EXPECT_FALSE(seat == (Seat{1, 0, 3}));
  EXPECT_FALSE(seat == (Seat{1, 2, -1}));
}

TEST(Strategies, without_a_name_are_an_error) {
  EXPECT_THAT([] { static_cast<void>(to_string(static_cast<Strategy>(99))); },
              ThrowsMessage<InternalError>("a Strategy without a name"));
}

}  // namespace
}  // namespace halocline::mapping
