// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "halocline/tuning.hpp"
#include "machine/machine_map.hpp"
#include "partition/halo.hpp"

// The predicted time of an exchange, from the rates of a machine map (docs/decisions/0018).
namespace halocline::model {

/// The widest load or store of rows of cells, bytes.
inline constexpr int widest_word = 16;

/// What a subdomain's device copies in one exchange of all fields.
struct Load {
  /// By kind of rows and widest access; bytes are counted as in machine::ExchangeRate.
  class Bytes {
   public:
    using Counts = std::map<std::pair<machine::HaloRows, int>, std::int64_t>;
    Bytes() = default;
    Bytes(std::initializer_list<Counts::value_type> counts) : counts_(counts) {}
    [[nodiscard]] std::int64_t& operator[](const Counts::key_type& key) { return counts_[key]; }
    [[nodiscard]] std::int64_t at(const Counts::key_type& key) const { return counts_.at(key); }
    [[nodiscard]] Counts::const_iterator begin() const { return counts_.begin(); }
    [[nodiscard]] Counts::const_iterator end() const { return counts_.end(); }
    [[nodiscard]] std::size_t size() const { return counts_.size(); }
    [[nodiscard]] bool empty() const { return counts_.empty(); }
    void clear() { *this = {}; }
    friend bool operator==(const Bytes&, const Bytes&) = default;

    /// Cells of packed rows on the link; arrived cells are unpacked into whole sectors at the same time.
    std::int64_t packed_cells = 0;

   private:
    Counts counts_;
  };
  Bytes local{};
  Bytes out{};                   ///< to other devices of its node
  Bytes in{};                    ///< from them
  std::int64_t sent = 0;         ///< bytes of cells to other subdomains
  std::int64_t network_out = 0;  ///< bytes of `sent` that leave the node
  std::int64_t network_in = 0;
};
[[nodiscard]] Load load_of(const partition::Geometry& geometry, subdomain_id subdomain, const exchange::Tuning& tuning);
/// The load of one message within a node.
[[nodiscard]] Load::Bytes rows_of(const partition::Geometry& geometry, const partition::Message& message,
                                  const exchange::Tuning& tuning);

/// Bytes of cells that one exchange of all fields sends from one subdomain to another.
struct Traffic {
  std::int64_t most_sent = 0;  ///< by one device
  std::int64_t off_node = 0;   ///< by all, to other nodes
};
[[nodiscard]] Traffic traffic_of(const partition::Geometry& geometry);
/// Where node parts are no nodes. nodes: by subdomain_id, the node of its device. Time: the subdomains.
[[nodiscard]] Traffic traffic_of(const partition::Geometry& geometry, std::span<const node_id> nodes);

/// What limits an exchange.
enum class Bound : int { least, local, link, network };
[[nodiscard]] std::string_view to_string(Bound bound);

struct Prediction {
  /// Time of one of many exchanges back to back. An integer, so that comparisons are the same on all ranks.
  std::int64_t picoseconds = 0;
  Bound bound = Bound::least;
  [[nodiscard]] double seconds() const { return static_cast<double>(picoseconds) * 1e-12; }
};

/// Predicts exchanges on one machine. A value; if nodes differ, each rate is the slowest node's.
class Predictor {
 public:
  explicit Predictor(const machine::MachineMap& map, const exchange::Tuning& tuning = {});

  /// The sizes given; without packets if the map has no rate for them.
  [[nodiscard]] const exchange::Tuning& tuning() const { return tuning_; }
  /// Why nothing can be predicted; empty if predictions are possible.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  /// The slowest device's time or the slowest node's time on the network. Throws InvalidArgument if why_not() is not empty.
  /// Cost: proportional to the node parts that differ in more than their position.
  [[nodiscard]] Prediction predict(const partition::Geometry& geometry) const;
  [[nodiscard]] Prediction predict(const Load& load) const;

  /// Seconds for which rows occupy one path of a device, the additional latency, and the least time.
  struct Share {
    double busy = 0;
    double latency = 0;
    double least = 0;
  };
  /// concurrent: while the device also copies on the other path. Throws InvalidArgument if why_not() is not empty.
  [[nodiscard]] Share share(machine::HaloPath path, bool concurrent, const Load::Bytes& bytes) const;

 private:
  /// The rate of one kind of cells.
  struct Cost {
    std::int64_t attoseconds_per_byte = 0;
    std::int64_t latency = 0;  ///< picoseconds
    std::int64_t least = 0;    ///< picoseconds
  };
  using Words = std::map<int, Cost>;
  struct Kind {
    machine::HaloPath path;
    machine::HaloRows rows;
    bool concurrent;
    friend auto operator<=>(const Kind&, const Kind&) = default;
  };
  struct Time {
    std::int64_t busy = 0;  ///< all in picoseconds
    std::int64_t latency = 0;
    std::int64_t least = 0;
    [[nodiscard]] std::int64_t picoseconds() const { return busy + latency; }
  };
  void check() const;
  [[nodiscard]] const Words* find(Kind kind) const;
  [[nodiscard]] Cost cost(const Kind& kind, int word) const;
  [[nodiscard]] Time time(machine::HaloPath path, bool concurrent, const Load::Bytes& bytes) const;
  [[nodiscard]] std::int64_t in_memory(const Load::Bytes& bytes) const;  ///< picoseconds
  [[nodiscard]] std::int64_t network_time(std::int64_t bytes) const;

  exchange::Tuning tuning_;
  std::map<Kind, Words> costs_;
  machine::Network network_;
  std::string why_not_;
};

}  // namespace halocline::model
