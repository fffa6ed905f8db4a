// SPDX-License-Identifier: BSD-3-Clause
// Files of tuned choices, and entries as ranks send them. The input is the list of entries; the target adds the digest, without which a
// change of any byte would be refused before the entries are read.
#include <fmt/core.h>

#include "core/hash.hpp"
#include "document.hpp"
#include "io/tuning_cache.hpp"
#include "target.hpp"

namespace halocline::fuzz {
namespace {

std::string file_with_digest(std::string_view input) {
  const io::Json entries = document_of(input);
  const std::string digest = fmt::format("{:016x}", Hash().add(entries.dump()).value());
  return io::pretty({{"schema", "halocline-tune/1"}, {"entries", entries}, {"digest", digest}});
}

void check_file(const std::string& text) {
  const io::TuningCache cache = io::tuning_cache_from(text, "FILE");
  require(io::text_of(cache) == text, "a cache is written as it was read");
  for (const io::TunedEntry& entry : cache.entries) {
    require(io::tuned_entry_from(io::text_of(entry)) == entry, "an entry is equal after it was sent");
    require(cache.find(entry.key) != nullptr, "an entry is found by its key");
  }
}

/// Refusals count as none here.
void check_damaged(std::string_view input) {
  try {
    check_file(std::string(input));
  } catch (const InvalidArgument&) {
  }
  try {
    const io::TunedEntry entry = io::tuned_entry_from(input);
    require(io::tuned_entry_from(io::text_of(entry)) == entry, "an entry is equal after it was sent");
  } catch (const InvalidArgument&) {
  }
}

}  // namespace

std::vector<std::string> own_seeds() {
  io::TunedEntry entry;
  entry.key = {{"00112233aabbccdd", "4 ranks"}, {"0123456789abcdef", "64^3"}, {"fedcba9876543210", "version 1"}};
  entry.winner = {{"messages", "by_rank"}, {"transports", "self,mpi_staged"}};
  entry.trials = {{entry.winner, 7, {1e-5, 1.25e-5, 1.5e-5}, {2e-5, 2.5e-5, 3e-5}, 0.5}};
  entry.confirmed = entry.trials[0];
  entry.predicted = 3e-5;
  entry.skipped = {{"transports=ipc_copy", "one rank"}};
  entry.ceilings = {{"copy_within_device_bytes_per_s", 1e10}};
  entry.budget = 2;
  entry.spent = 1.5;
  io::TunedEntry stays = entry;
  stays.key.request.digest = "0123456789abcde0";
  stays.winner.clear();
  stays.confirmed.reset();
  io::TuningCache cache;
  cache.put(entry);
  cache.put(stays);
  const std::string text = io::text_of(cache);
  return {io::parse_document(text).find("entries")->dump(), text, io::text_of(entry)};
}

}  // namespace halocline::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace halocline;
  return fuzz::run_target(data, size, [](std::string_view input) {
    fuzz::check_damaged(input);
    fuzz::check_file(fuzz::file_with_digest(input));
  });
}
