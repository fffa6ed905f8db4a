// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pictures/chart.hpp"

namespace cli {

/// Values by the name of a series, then x: the median where there are several. Series and x are in the order of their first values.
class Collected {
 public:
  /// predicted: drawn dashed, and named a model's.
  void add(const std::string& name, bool predicted, double x, double y);
  /// A prediction has the colour of what it predicts.
  [[nodiscard]] std::vector<Series> series() const;
  void simulated_beside_measured() { both_ = true; }

 private:
  struct Group {
    std::string name;
    bool predicted;
    std::map<double, std::vector<double>> values;
  };
  std::vector<Group> groups_;
  bool both_ = false;
};

[[nodiscard]] std::vector<double> all_x(const std::vector<Series>& series);

}  // namespace cli
