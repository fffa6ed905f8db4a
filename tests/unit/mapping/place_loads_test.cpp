// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/mappers/place_loads.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/at.hpp"
#include "machines.hpp"
#include "mapping/patterns.hpp"

namespace halocline::mapping::detail {
namespace {

/// The loads if one process moves to another place.
std::vector<std::int64_t> loads_with(const CommunicationMatrix& matrix, const Topology& topology,
                                     std::vector<int> place_of, int process, int place) {
  place_of[at(process)] = place;
  return channel_loads(matrix, topology, place_of);
}

TEST(PlaceLoads, AreWhatChannelsWouldCarryAlsoAfterMoves) {
  const Topology network = network_topology(cluster_b());
  const CommunicationMatrix matrix = irregular({.ranks = 24, .degree = 10, .bytes = 1000, .seed = 5});
  const Peers peers = peers_of(matrix);
  std::mt19937 random(3);
  std::vector<int> place_of(24);
  for (int& place : place_of) place = static_cast<int>(random() % 8);
  PlaceLoads loads(peers, network, place_of);
  ASSERT_TRUE(loads.kept());
  for (int move = 0; move < 50; ++move) {
    const int process = static_cast<int>(random() % 24);
    const int place = static_cast<int>(random() % 8);
    const auto now = channel_loads(matrix, network, place_of);
    const auto then = loads_with(matrix, network, place_of, process, place);
    const auto here = loads.of(process, place_of[at(process)]);
    const auto there = loads.of(process, place);
    for (std::size_t c = 0; c < now.size(); ++c) {
      ASSERT_EQ(there[c] - here[c], then[c] - now[c]) << "move " << move << ", channel " << c;
    }
    loads.moved(process, place_of[at(process)], place);
    place_of[at(process)] = place;
  }
}

TEST(PlaceLoads, AreNotKeptWhereProcessesHaveFewPeers) {
  const Topology cores = core_topology(dual_node(12, 0));
  const CommunicationMatrix matrix = irregular({.ranks = 24, .degree = 2, .bytes = 1000, .seed = 5});
  const Peers peers = peers_of(matrix);
  std::vector<int> place_of(24, 0);
  EXPECT_FALSE(PlaceLoads(peers, cores, place_of).kept());
}

TEST(Peers, AreBothWaysAndAscendEvenWhereOneSideSendsNothing) {
  CommunicationMatrix matrix(4);
  matrix.add(2, 0, 10, 1);
  matrix.add(0, 2, 20, 2);
  matrix.add(3, 0, 5, 1);
  matrix.add(0, 1, 7, 1);
  matrix.add(0, 0, 99, 1);
  matrix.add(1, 3, 0, 0);
  const Peers peers = peers_of(matrix);
  ASSERT_EQ(peers.size(), 4U);
  ASSERT_EQ(peers[0].size(), 3U);
  const auto is = [](const Peer& peer, int process, std::int64_t sent, std::int64_t received, std::int64_t messages) {
    return peer.process == process && peer.sent == sent && peer.received == received && peer.messages == messages;
  };
  EXPECT_TRUE(is(peers[0][0], 1, 7, 0, 1));
  EXPECT_TRUE(is(peers[0][1], 2, 20, 10, 3));
  EXPECT_TRUE(is(peers[0][2], 3, 0, 5, 1));
  ASSERT_EQ(peers[1].size(), 1U);
  EXPECT_TRUE(is(peers[1][0], 0, 0, 7, 1));
  EXPECT_EQ(peers[3].size(), 1U);
}

}  // namespace
}  // namespace halocline::mapping::detail
