// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/environment.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <span>
#include <string_view>

#include "core/environment_variables.hpp"
#include "halocline/error.hpp"

namespace halocline {
namespace {

constexpr std::array<std::string_view, 3> backends{"auto", "host", "cuda"};
constexpr std::array<std::string_view, 4> device_memories{"auto", "ipc", "fd", "fabric"};
constexpr std::array<std::string_view, 4> log_levels{"error", "warning", "info", "debug"};
constexpr std::array<std::string_view, 3> comms{"auto", "serial", "mpi"};
constexpr std::array<std::string_view, 3> net_engines{"auto", "mpi", "ucx"};
constexpr std::array<std::string_view, 2> switches{"0", "1"};

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
                      std::span<const std::string_view> words) {
  const auto text = lookup(name);
  if (!text) return fallback;
  if (std::find(words.begin(), words.end(), *text) == words.end()) {
    refuse(name, *text, fmt::format("one of {}", fmt::join(words, " ")));
  }
  return *text;
}

std::optional<std::string> of_process(const std::string& name) {
  const char* text = std::getenv(name.c_str());
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

}  // namespace

Environment Environment::read(const Lookup& lookup) {
  Environment environment;
  environment.ranks_per_node = read_int(lookup, "HALOCLINE_RANKS_PER_NODE", 1, 1 << 20);
  environment.virtual_rack = read_word(lookup, "HALOCLINE_VIRTUAL_RACK", "0", switches) == "1";
  environment.backend = read_word(lookup, "HALOCLINE_BACKEND", environment.backend, backends);
  environment.devices_per_rank = read_int(lookup, "HALOCLINE_DEVICES_PER_RANK", 1, 64);
  environment.host_workers = read_int(lookup, "HALOCLINE_HOST_WORKERS", 1, 256);
  environment.device_memory = read_word(lookup, "HALOCLINE_DEVICE_MEMORY", environment.device_memory, device_memories);
  if (const auto text = lookup("HALOCLINE_TIMEOUT")) {
    double seconds = 0;
    const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), seconds);
    if (failed != std::errc{} || end != text->data() + text->size() || !(seconds > 0) || seconds > 1e6) {
      refuse("HALOCLINE_TIMEOUT", *text, "a number of seconds above 0 and up to 1000000");
    }
    environment.timeout = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  }
  environment.transports = lookup("HALOCLINE_TRANSPORTS");
  environment.net_engine = read_word(lookup, "HALOCLINE_NET_ENGINE", environment.net_engine, net_engines);
  environment.validate_ordering = read_word(lookup, "HALOCLINE_VALIDATE_ORDERING", "0", switches) == "1";
  environment.slow_paths = read_word(lookup, "HALOCLINE_SLOW_PATHS", "0", switches) == "1";
  environment.log_level = read_word(lookup, "HALOCLINE_LOG", environment.log_level, log_levels);
  environment.comm = read_word(lookup, "HALOCLINE_COMM", environment.comm, comms);
  environment.mpi_plugin = lookup("HALOCLINE_MPI_PLUGIN");
  environment.profile_output = lookup("HALOCLINE_PROFILE_OUTPUT");
  environment.profile_library = lookup("HALOCLINE_PROFILE_LIBRARY");
  return environment;
}

Environment Environment::read() { return read(of_process); }

std::optional<std::string> recording_folder() { return of_process("HALOCLINE_RECORD"); }

std::vector<EnvironmentVariable> environment_variables() {
  return {
      {"HALOCLINE_RANKS_PER_NODE", "1 or more", "all ranks of a node", "ranks of a virtual node"},
      {"HALOCLINE_VIRTUAL_RACK", "0, 1", "0", "virtual nodes of a host form a rack: they map each other's memory"},
      {"HALOCLINE_BACKEND", fmt::format("{}", fmt::join(backends, ", ")), "auto",
       "kind of devices; auto: GPUs if every rank sees one"},
      {"HALOCLINE_DEVICES_PER_RANK", "1 to 64", "1 on the host, an even share of the node's GPUs",
       "devices that each rank drives"},
      {"HALOCLINE_HOST_WORKERS", "1 to 256", "by cores and ranks", "worker threads of the host backend in a process"},
      {"HALOCLINE_DEVICE_MEMORY", fmt::format("{}", fmt::join(device_memories, ", ")), "auto",
       "how GPU memory is exported to other processes; auto: fabric where it works, otherwise ipc"},
      {"HALOCLINE_TIMEOUT", "seconds above 0", "120", "how long a collective or an exchange may take"},
      {"HALOCLINE_TRANSPORTS", "names, comma-separated; -name forbids", "all but net and nccl",
       "transports that may be used"},
      {"HALOCLINE_NET_ENGINE", fmt::format("{}", fmt::join(net_engines, ", ")), "auto",
       "what moves the messages of net; auto: MPI, or UCX where MPI has no MPI_THREAD_MULTIPLE"},
      {"HALOCLINE_VALIDATE_ORDERING", "0, 1", "0", "detect work that is not ordered with exchanges; slow"},
      {"HALOCLINE_SLOW_PATHS", "0, 1", "0", "warn of routes far below their predicted rate"},
      {"HALOCLINE_LOG", fmt::format("{}", fmt::join(log_levels, ", ")), "warning",
       "least severe messages on standard error"},
      {"HALOCLINE_COMM", fmt::format("{}", fmt::join(comms, ", ")), "auto",
       "communication between ranks; auto: MPI under a launcher"},
      {"HALOCLINE_MPI_PLUGIN", "a name of halocline.show_config()", "by the MPI of mpi4py",
       "plug-in for MPI of the Python package, in builds that have several"},
      {"HALOCLINE_PROFILE_OUTPUT", "a file name", "communication.csv", "output file of the profiling library"},
      {"HALOCLINE_PROFILE_LIBRARY", "a file name", "the installed one", "library that halocline profile preloads"},
      {"HALOCLINE_RECORD", "a folder, which is made if it is not there", "none",
       "where recordings of failed and hanging exchanges are written"},
  };
}

}  // namespace halocline
