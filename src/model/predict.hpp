// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "halocline/machine_map.hpp"
#include "partition/halo.hpp"

// How long an exchange of halos takes, from the rates that a machine map holds (docs/decisions/0018).
namespace halocline::model {

/// Sizes at which rows are moved in another way; those of exchange::Tuning.
struct RowLimits {
  std::int64_t short_row_bytes = 64;
  std::int64_t pack_short_rows_from_bytes = std::int64_t{1} << 20;
  std::int64_t packets_at_most_bytes = std::int64_t{1} << 20;
  friend bool operator==(const RowLimits&, const RowLimits&) = default;
};

/// What a subdomain's device moves in one exchange of all fields.
struct Load {
  /// By rows and widest access, counted as machine::ExchangeRate says.
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

    /// Of the cells of packed rows: what crosses a link of them, while what has crossed is unpacked into whole sectors.
    std::int64_t packed_cells = 0;

   private:
    Counts counts_;
  };
  Bytes local{};
  Bytes out{};                   ///< to other devices of its node
  Bytes in{};                    ///< from them
  std::int64_t sent = 0;         ///< bytes of cells to other subdomains
  std::int64_t network_out = 0;  ///< those of them that leave the node
  std::int64_t network_in = 0;
};
[[nodiscard]] Load load_of(const partition::Geometry& geometry, subdomain_id subdomain, const RowLimits& limits);
/// One message's part of it, within a node.
[[nodiscard]] Load::Bytes rows_of(const partition::Geometry& geometry, const partition::Message& message,
                                  const RowLimits& limits);

/// Bytes of cells that one exchange of all fields sends from one subdomain to another.
struct Traffic {
  std::int64_t most_sent = 0;  ///< by one device
  std::int64_t off_node = 0;   ///< by all, to other nodes
};
[[nodiscard]] Traffic traffic_of(const partition::Geometry& geometry);

/// What an exchange waits for.
enum class Bound : int { least, local, link, network };
[[nodiscard]] std::string_view to_string(Bound bound);

struct Prediction {
  /// Of an exchange, many of them back to back. A whole number, so that all ranks compare alike.
  std::int64_t picoseconds = 0;
  Bound bound = Bound::least;
  [[nodiscard]] double seconds() const { return static_cast<double>(picoseconds) * 1e-12; }
};

/// Predicts exchanges on one machine. A value; where nodes differ, each rate is that of the slowest.
class Predictor {
 public:
  explicit Predictor(const machine::MachineMap& map, const RowLimits& limits = {});

  /// Those that were given; without packets where the map has no rate for them.
  [[nodiscard]] const RowLimits& limits() const { return limits_; }
  /// Why nothing can be predicted; empty where it can.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  /// The slowest device's time or the slowest node's time on the network. Throws InvalidArgument where why_not() says why.
  /// Cost: that of the node parts that differ in more than their place.
  [[nodiscard]] Prediction predict(const partition::Geometry& geometry) const;
  [[nodiscard]] Prediction predict(const Load& load) const;

  /// Seconds that rows keep one path of a device busy, and those that pass besides, or at least.
  struct Share {
    double busy = 0;
    double latency = 0;
    double least = 0;
  };
  /// beside: while the device has something to do on the other path. Throws InvalidArgument where why_not() says why.
  [[nodiscard]] Share share(machine::HaloPath path, bool beside, const Load::Bytes& bytes) const;

 private:
  /// Of one kind of cells.
  struct Cost {
    std::int64_t attoseconds_per_byte = 0;
    std::int64_t latency = 0;  ///< picoseconds
    std::int64_t least = 0;    ///< picoseconds
  };
  using Words = std::map<int, Cost>;
  struct Kind {
    machine::HaloPath path;
    machine::HaloRows rows;
    bool beside;
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
  [[nodiscard]] Time time(machine::HaloPath path, bool beside, const Load::Bytes& bytes) const;
  [[nodiscard]] std::int64_t network_time(std::int64_t bytes) const;

  RowLimits limits_;
  std::map<Kind, Words> costs_;
  machine::Network network_;
  std::string why_not_;
};

}  // namespace halocline::model
