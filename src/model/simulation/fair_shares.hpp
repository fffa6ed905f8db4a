// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <vector>

#include "core/at.hpp"

namespace halocline::model::simulation {

/// Max-min fair rates of flows over links, kept while flows come and go. A flow at rate x takes weight times x of a link. Flows
/// over the same links with the same weights are one bundle, as their rates are equal.
///
/// Rates are max-min fair exactly where each flow has a bottleneck: a link that is full and on which no other flow is faster
/// (Bertsekas, Gallager: Data Networks, 2nd ed., 6.5.2), and progressive filling, which raises all rates equally and stops those
/// that meet a full link, finds them. What an update fills again is what a change can reach: the bundles on changed links
/// that are bottlenecks, those that share other bottlenecks with them, and so on. Other links that they pass are left what the
/// others do not take; where one of them turns out to be a bottleneck, its bundles are filled again too. Rates below those
/// of all flows that come and go stay as they are, as filling came to them before it could meet a difference.
class FairShares {
 public:
  /// A link of a bundle: position in `bandwidths`, and what a byte takes of it.
  struct Part {
    int link = 0;
    double weight = 1;
    auto operator<=>(const Part&) const = default;
  };

  /// bundles: the links of each; none is empty.
  FairShares(std::span<const double> bandwidths, const std::vector<std::vector<Part>>& bundles);

  /// A flow of the bundle begins (+1) or ends (-1); rates stay as they were until update() is called.
  void change(int bundle, int flows);
  /// Fills again. Returns the bundles whose rates may have changed; the list is good until the next call.
  const std::vector<int>& update();
  /// Bytes a second of each of the bundle's flows; 0 where it has none.
  [[nodiscard]] double rate(int bundle) const { return bundles_[at(bundle)].rate; }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  struct Bundle {
    std::size_t first = 0;  ///< its links are parts_[first, last)
    std::size_t last = 0;
    int flows = 0;
    double rate = 0;
    bool filling = false;
    bool frozen = false;
    bool changed = false;
    double before = 0;
  };
  struct Link {
    double bandwidth = 0;
    double used = 0;           ///< by all flows
    std::vector<int> bundles;  ///< those with flows, as positions in parts_, which say whose they are
    double all = 0;            ///< weights of all flows
    bool bottleneck = false;
    bool opened = false;  ///< its bundles are filled again
    bool touched = false;
    bool changed = false;
    double left = 0;    ///< while filling
    int flows = 0;      ///< while filling: not frozen yet
    double weight = 0;  ///< of these together
  };
  struct Level {
    double share;
    int link;
    bool operator>(const Level& other) const { return share > other.share; }
  };

  void enter(int bundle);
  void leave(int bundle);
  void take(int bundle);
  void open(int link);
  void grow();
  void fill();
  void freeze(int bundle, double rate);
  void settle();
  void find_lowest();

  std::vector<Bundle> bundles_;
  std::vector<Link> links_;
  std::vector<Part> parts_;          ///< of all bundles
  std::vector<int> bundle_of_;       ///< of each entry of parts_
  std::vector<std::size_t> places_;  ///< of each entry of parts_: where it is in its link's list
  std::vector<int> changed_links_;
  std::vector<int> changed_bundles_;
  std::vector<int> filled_;
  std::vector<int> touched_;
  std::vector<int> opened_;
  std::size_t grown_ = 0;
  double lowest_ = never;  ///< no rate below it changes
  std::priority_queue<Level, std::vector<Level>, std::greater<>> levels_;
};

}  // namespace halocline::model::simulation
