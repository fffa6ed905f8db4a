// SPDX-License-Identifier: BSD-3-Clause
#include "slow_paths/healthy_case.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "support/program.hpp"

namespace halocline::bench {
namespace {

constexpr std::int64_t least_edge = 24;  // 8 devices in a row have a radius of 3 each

}  // namespace

HealthyCase::HealthyCase(std::uint64_t seed, std::int64_t number, std::int64_t most_edge) {
  std::seed_seq both{seed, static_cast<std::uint64_t>(number)};
  random_.seed(both);
  const double share = static_cast<double>(below(1000)) / 999;  // as many small ones as large ones
  const auto edge = std::lround(least_edge * std::pow(static_cast<double>(most_edge) / least_edge, share));
  for (int dim = 0; dim < 3; ++dim) {
    extent[dim] = std::max<std::int64_t>(least_edge, edge - below(edge / 2));
    if (below(6) == 0) boundaries[static_cast<std::size_t>(dim)] = Boundary::open;
  }
  radius = 1 + below(3);
  star = below(4) == 0;
  elements.resize(static_cast<std::size_t>(below(6)));
  for (Element& element : elements) element = one_of(std::array{Element::f32, Element::f64, Element::i8});
  partition = one_of(std::array{partition::Method::automatic, partition::Method::exact, partition::Method::bisection});
  messages = one_of(std::array{routing::Messages::by_neighbour, routing::Messages::by_neighbour,
                               routing::Messages::by_direction, routing::Messages::by_rank});
  transports = one_of(std::array<std::string, 4>{"", "self,direct,mpi_staged", "self,ipc_copy,peer_copy,mpi_staged",
                                                 "self,mpi_staged"});
  all_devices = below(2) == 0;
  updates = static_cast<int>(below(4));
  more_updates = below(4) == 0 ? 8 : 0;
  synchronized = below(2) == 0;
  constexpr std::array ways{Step::whole, Step::whole, Step::overlapped, Step::as_ready};
  const bool mixed = below(3) == 0;
  const Step same = one_of(ways);
  steps.resize(static_cast<std::size_t>(32 + below(17)));
  for (Step& step : steps) step = mixed ? one_of(ways) : same;
}

std::string HealthyCase::text() const {
  std::string fields = "f32";
  for (const Element element : elements) fields += fmt::format("+{}", to_string(element));
  std::string open;
  for (std::size_t dim = 0; dim < 3; ++dim) {
    if (boundaries[dim] == Boundary::open) open += "xyz"[dim];
  }
  std::array<int, 3> ways{};
  for (const Step step : steps) ++ways[static_cast<std::size_t>(step)];
  return fmt::format(
      "{} cells, {} of radius {}, {}, open '{}', {} of each rank, {}, {}, transports {}, steps {} whole {} overlapped "
      "{} "
      "as ready, {} updates, {} more of rank 0, {}",
      extent_text(extent), star ? "star" : "box", radius, fields, open, all_devices ? "all devices" : "one device",
      to_string(partition), to_string(messages), transports.empty() ? "by default" : transports, ways[0], ways[1],
      ways[2], updates, more_updates, synchronized ? "synchronised" : "not synchronised");
}

}  // namespace halocline::bench
