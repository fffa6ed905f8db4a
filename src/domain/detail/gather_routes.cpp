// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/gather_routes.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "comm/gather.hpp"

namespace halocline {

namespace routing {
auto members(MaybeConst<Route> auto& route) {
  return std::tie(route.from, route.to, route.transport, route.reason, route.packets);
}
}  // namespace routing

auto members(MaybeConst<RoutedMessage> auto& message) {
  return std::tie(message.route, message.bytes, message.messages);
}

std::vector<RoutedMessage> gather_routed_messages(comm::RankGroup& comm, std::span<const RoutedMessage> mine) {
  std::vector<RoutedMessage> all;
  for (auto& part : comm::gather(comm, std::vector(mine.begin(), mine.end()))) {
    std::ranges::move(part, std::back_inserter(all));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(a.route.from, a.route.to) < std::pair(b.route.from, b.route.to);
  });
  return all;
}

}  // namespace halocline
