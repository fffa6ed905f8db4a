// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "machine/interconnect.hpp"
#include "machine/path_search.hpp"

namespace halocline::machine {

/// The channels of one kind of node, and all paths within it.
class NodeRoutes {
 public:
  NodeRoutes(const NodeType& type, int rails);

  [[nodiscard]] const NodeType& type() const { return type_; }
  [[nodiscard]] const std::vector<int>& devices() const { return devices_; }
  [[nodiscard]] int channel_count() const { return static_cast<int>(channels_.size()); }
  [[nodiscard]] Channel channel(int id) const;
  struct LocalChannel {
    int link;
    bool forward;  ///< from Link::a to Link::b
  };
  [[nodiscard]] LocalChannel link_of(int id) const { return channels_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::string name(int id) const;

  /// Appends the channels from one vertex to another, each plus `first`. Throws InvalidArgument if there is no path.
  void route(int from, int to, std::int64_t first, std::vector<std::int64_t>& path) const;

  /// The vertex at which messages leave the node.
  struct Exit {
    int vertex = -1;  ///< -1 if none can be reached
    int rail = 0;
  };
  /// Returns the best exit for a vertex, over all rails or on one rail. Throws InvalidArgument if none can be reached.
  [[nodiscard]] Exit exit(int vertex) const { return exit_of(vertex, 0); }
  [[nodiscard]] Exit exit_on(int vertex, int rail) const { return exit_of(vertex, 1 + rail); }

  /// Appends the path from a device to a device of a node of another type (or of this one) over a link switch of the
  /// rack. Returns whether there is such a path.
  bool route_in_rack(int from, std::int64_t first, const NodeRoutes& peer, int to, std::int64_t peer_first,
                     std::vector<std::int64_t>& path) const;

 private:
  /// A device's link to a link switch of its node.
  struct SwitchLink {
    int number;  ///< among the node's link switches
    int out;     ///< channels
    int in;
  };

  void find_channels();
  void find_paths(const LinkGraph& graph, PathsFrom& paths, int from);
  void find_exits(int vertex, const std::vector<double>& widths, int rails);
  void find_switch_links();
  [[nodiscard]] std::vector<int> ways_out() const;
  [[nodiscard]] int channel_from(int vertex, int link) const;
  [[nodiscard]] int reverse(int channel) const;
  [[nodiscard]] std::pair<int, int> path_of(int a, int b) const;
  [[nodiscard]] Exit exit_of(int vertex, int column) const;
  [[nodiscard]] std::string label(int vertex) const;

  NodeType type_;
  std::vector<int> devices_;  ///< vertices
  std::vector<LocalChannel> channels_;
  std::vector<int> first_channel_;  ///< by link
  /// The path from a to b, a <= b, is path_channels_[begin] to [end - 1] with begin, end = path_first_[a * V + b], [...
  /// + 1].
  std::vector<int> path_first_;
  std::vector<int> path_channels_;
  std::vector<Exit> exits_;  ///< by vertex: the best one, then the best one of each rail
  std::size_t exit_columns_;
  std::vector<std::vector<SwitchLink>> switch_links_;  ///< by vertex; devices of a load/store domain only
};

}  // namespace halocline::machine
