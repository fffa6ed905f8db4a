// SPDX-License-Identifier: BSD-3-Clause
#include "pictures/collected.hpp"

#include <algorithm>
#include <set>

namespace cli {

void Collected::add(const std::string& name, bool predicted, double x, double y) {
  auto place =
      std::ranges::find_if(groups_, [&](const Group& g) { return g.name == name && g.predicted == predicted; });
  if (place == groups_.end()) place = groups_.insert(place, {name, predicted, {}});
  place->values[x].push_back(y);
}

std::vector<Series> Collected::series() const {
  std::vector<Series> all;
  std::vector<std::string> names;
  for (const Group& group : groups_) {
    auto place = std::ranges::find(names, group.name);
    if (place == names.end()) place = names.insert(place, group.name);
    Series series{group.name + (group.predicted ? both_ ? ", simulated" : ", model" : ""),
                  {},
                  group.predicted,
                  static_cast<std::size_t>(place - names.begin())};
    for (const auto& [x, repeats] : group.values) series.values.push_back(median_at(x, repeats));
    all.push_back(std::move(series));
  }
  return all;
}

std::vector<double> all_x(const std::vector<Series>& series) {
  std::set<double> ticks;
  for (const Series& one : series) {
    for (const Value& value : one.values) ticks.insert(value.x);
  }
  return {ticks.begin(), ticks.end()};
}

}  // namespace cli
