// SPDX-License-Identifier: BSD-3-Clause
#include "machine/path_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halocline::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The edges of a path; an edge traversed from b to a is -1 - edge.
std::vector<int> edges(const LinkGraph& graph, int from, int to) {
  const PathSearch search(graph);
  PathsFrom paths(search, from);
  std::vector<int> list;
  for (const auto& [edge, forward] : paths.steps(to, graph)) list.push_back(forward ? edge : -1 - edge);
  return list;
}

TEST(PathSearch, TakesTheWidestThenTheFastestThenTheShortest) {
  LinkGraph graph{std::vector<bool>(4, false), {{0, 3, 10, 1}, {0, 1, 20, 5}, {1, 3, 20, 5}}};
  EXPECT_THAT(edges(graph, 0, 3), ElementsAre(1, 2)) << "wider";
  EXPECT_THAT(edges(graph, 3, 0), ElementsAre(-3, -2));
  graph.edges.push_back({2, 3, 20, 4});
  graph.edges.push_back({0, 2, 20, 4});
  EXPECT_THAT(edges(graph, 0, 3), ElementsAre(4, 3)) << "as wide, and faster";
  graph.edges.push_back({3, 0, 20, 8});
  EXPECT_THAT(edges(graph, 0, 3), ElementsAre(-6)) << "as fast, and shorter";
}

TEST(PathSearch, GoesThroughNoEnd) {
  const LinkGraph graph{{false, true, false, false}, {{0, 1, 50, 1}, {1, 2, 50, 1}, {0, 2, 1, 1}, {2, 2, 99, 1}}};
  EXPECT_THAT(edges(graph, 0, 2), ElementsAre(2));
  EXPECT_THAT(edges(graph, 1, 2), ElementsAre(1)) << "but begins at one";
  EXPECT_THAT(edges(graph, 0, 3), IsEmpty());
  const PathSearch search(graph);
  PathsFrom paths(search, 0);
  EXPECT_EQ(paths.widths(), (std::vector<double>{PathSearch::infinite, 50, 1, 0}));
  EXPECT_EQ(paths.latency(0), 0);
  EXPECT_EQ(paths.latency(2), 1);
  EXPECT_EQ(paths.latency(3), PathSearch::infinite);
}

}  // namespace
}  // namespace halocline::machine
