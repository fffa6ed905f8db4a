// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halocline::io {

/// What differs from the options of the user, by the name of the option: {"messages", "by_rank"}. Empty: the default.
using Settings = std::map<std::string, std::string>;
/// "messages=by_rank transports=mpi_staged,direct"; "default" for none.
[[nodiscard]] std::string text_of(const Settings& settings);

/// Seconds of one exchange.
struct Quantiles {
  double p25 = 0;
  double p50 = 0;
  double p75 = 0;
  friend bool operator==(const Quantiles&, const Quantiles&) = default;
};

/// Settings that were tried.
struct TunedTrial {
  Settings settings;
  int rounds = 0;
  Quantiles seconds;
  Quantiles of_default;             ///< in the same rounds
  std::optional<double> predicted;  ///< seconds, by the model
  friend bool operator==(const TunedTrial&, const TunedTrial&) = default;
};

/// Settings that were not tried, or whose trial failed.
struct TunedSkip {
  std::string what;
  std::string why;
  friend bool operator==(const TunedSkip&, const TunedSkip&) = default;
};

/// What a choice is for: each as a digest, and as a text for people. No text has the name of a host.
struct TunedKey {
  struct Part {
    std::string digest;  ///< 16 hexadecimal digits
    std::string text;
    friend bool operator==(const Part&, const Part&) = default;
  };
  Part machine;
  Part request;  ///< domain, fields and options
  Part stack;    ///< versions of the software
  [[nodiscard]] bool same(const TunedKey& other) const {
    return machine.digest == other.machine.digest && request.digest == other.request.digest &&
           stack.digest == other.stack.digest;
  }
  friend bool operator==(const TunedKey&, const TunedKey&) = default;
};

/// A choice, and how it was made.
struct TunedEntry {
  TunedKey key;
  Settings winner;
  std::optional<TunedTrial> confirmed;  ///< the winner's last rounds; none where the default stayed
  std::optional<double> predicted;      ///< of the default
  std::vector<TunedTrial> trials;       ///< the fastest first, by the ratio of lower quartiles to the default's
  std::vector<TunedSkip> skipped;
  std::map<std::string, double> ceilings;  ///< of the same run
  double budget = 0;                       ///< seconds
  double spent = 0;
  friend bool operator==(const TunedEntry&, const TunedEntry&) = default;
};

struct TuningCache {
  std::vector<TunedEntry> entries;  ///< the oldest first

  [[nodiscard]] const TunedEntry* find(const TunedKey& key) const;
  /// Why there is no entry for the key although the same request was tuned: of another machine, or with other software; empty if
  /// there is none.
  [[nodiscard]] std::string why_not(const TunedKey& key) const;
  /// Takes the place of an entry with the same key; of too many entries the oldest goes.
  void put(TunedEntry entry);
  friend bool operator==(const TuningCache&, const TuningCache&) = default;
};
inline constexpr std::size_t most_tuned_entries = 256;
/// A longer file is none of ours.
inline constexpr std::size_t most_cache_bytes = std::size_t{64} << 20;

/// JSON with a digest of itself.
[[nodiscard]] std::string text_of(const TuningCache& cache);
/// The inverse. Throws InvalidArgument "tuning cache '<path>': ..." for any other text.
[[nodiscard]] TuningCache tuning_cache_from(std::string_view text, const std::string& path);

/// One entry, for messages between ranks.
[[nodiscard]] std::string text_of(const TunedEntry& entry);
[[nodiscard]] TunedEntry tuned_entry_from(std::string_view text);

}  // namespace halocline::io
