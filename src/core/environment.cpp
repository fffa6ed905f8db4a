// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/environment.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "core/environment_variables.hpp"
#include "halocline/error.hpp"

namespace halocline {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& value, const std::string& allowed) {
  throw InvalidArgument(fmt::format("{} is '{}'; allowed is {}", name, value, allowed));
}

std::optional<int> read_int(const Environment::Lookup& lookup, const std::string& name, int least, int most) {
  const auto text = lookup(name);
  if (!text) return std::nullopt;
  int value = 0;
  const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (failed != std::errc{} || end != text->data() + text->size() || value < least || value > most) {
    refuse(name, *text, fmt::format("a whole number from {} to {}", least, most));
  }
  return value;
}

std::string read_word(const Environment::Lookup& lookup, const std::string& name, const std::string& fallback,
                      const std::vector<std::string>& words) {
  const auto text = lookup(name);
  if (!text) return fallback;
  if (std::find(words.begin(), words.end(), *text) == words.end()) {
    std::string allowed = "one of";
    for (const auto& word : words) allowed += " " + word;
    refuse(name, *text, allowed);
  }
  return *text;
}

}  // namespace

Environment Environment::read(const Lookup& lookup) {
  Environment environment;
  environment.ranks_per_node = read_int(lookup, "HALOCLINE_RANKS_PER_NODE", 1, 1 << 20);
  environment.backend = read_word(lookup, "HALOCLINE_BACKEND", environment.backend, {"auto", "host", "cuda"});
  environment.devices_per_rank = read_int(lookup, "HALOCLINE_DEVICES_PER_RANK", 1, 64);
  environment.host_workers = read_int(lookup, "HALOCLINE_HOST_WORKERS", 1, 256);
  if (const auto text = lookup("HALOCLINE_TIMEOUT")) {
    double seconds = 0;
    const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), seconds);
    if (failed != std::errc{} || end != text->data() + text->size() || !(seconds > 0) || seconds > 1e6) {
      refuse("HALOCLINE_TIMEOUT", *text, "a number of seconds above 0 and up to 1000000");
    }
    environment.timeout = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  }
  environment.transports = lookup("HALOCLINE_TRANSPORTS");
  environment.validate_ordering = read_word(lookup, "HALOCLINE_VALIDATE_ORDERING", "0", {"0", "1"}) == "1";
  environment.log_level =
      read_word(lookup, "HALOCLINE_LOG", environment.log_level, {"error", "warning", "info", "debug"});
  environment.comm = read_word(lookup, "HALOCLINE_COMM", environment.comm, {"auto", "serial", "mpi"});
  environment.profile_output = lookup("HALOCLINE_PROFILE_OUTPUT");
  environment.profile_library = lookup("HALOCLINE_PROFILE_LIBRARY");
  return environment;
}

Environment Environment::read() {
  return read([](const std::string& name) -> std::optional<std::string> {
    const char* text = std::getenv(name.c_str());
    return text == nullptr ? std::nullopt : std::optional<std::string>(text);
  });
}

std::vector<EnvironmentVariable> environment_variables() {
  return {
      {"HALOCLINE_RANKS_PER_NODE", "1 or more", "what MPI finds", "ranks see virtual nodes of this many ranks"},
      {"HALOCLINE_BACKEND", "auto, host, cuda", "auto", "the devices; auto takes GPUs where every rank sees one"},
      {"HALOCLINE_DEVICES_PER_RANK", "1 to 64", "1 on the host, all GPUs", "devices that each rank drives"},
      {"HALOCLINE_HOST_WORKERS", "1 to 256", "by cores and ranks", "worker threads of the host backend in a process"},
      {"HALOCLINE_TIMEOUT", "seconds above 0", "120", "how long a collective or an exchange may take"},
      {"HALOCLINE_TRANSPORTS", "names, comma-separated; -name forbids", "all", "transports that may be used"},
      {"HALOCLINE_VALIDATE_ORDERING", "0, 1", "0", "look for work that is not ordered with exchanges; slow"},
      {"HALOCLINE_LOG", "error, warning, info, debug", "warning", "what is written to standard error"},
      {"HALOCLINE_COMM", "auto, serial, mpi", "auto", "how ranks talk; auto takes MPI under a launcher"},
      {"HALOCLINE_PROFILE_OUTPUT", "a file name", "communication.csv", "what the preloaded profiling library writes"},
      {"HALOCLINE_PROFILE_LIBRARY", "a file name", "beside the installed program", "what halocline profile preloads"},
  };
}

}  // namespace halocline
