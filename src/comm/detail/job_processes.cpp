// SPDX-License-Identifier: BSD-3-Clause
#include "comm/detail/job_processes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include "core/posix_file.hpp"

namespace halocline::comm {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 15;  // of a thread

/// Empty if the process or the thread has ended, even between opening and reading (ESRCH).
std::string content(const fs::path& path) {
  try {
    return read_file(path.string());
  } catch (const std::system_error&) {
    return {};
  }
}

/// The value of a variable in the text of /proc/PID/environ.
std::optional<std::string_view> variable(std::string_view environment, std::string_view name) {
  while (!environment.empty()) {
    const std::string_view one = environment.substr(0, environment.find('\0'));
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) return one.substr(name.size() + 1);
    environment.remove_prefix(std::min(environment.size(), one.size() + 1));
  }
  return std::nullopt;
}

int number(std::string_view text) {
  int found = -1;
  std::from_chars(text.data(), text.data() + text.size(), found);
  return found;
}

int number_of_variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? -1 : number(text);
}

/// What stands behind the name in /proc/PID/stat, which may contain anything: the state first. Empty if the process has ended.
std::string status_of(const fs::path& process) {
  const std::string status = content(process / "stat");
  const auto end = status.rfind(')');
  return end == std::string::npos || end + 2 >= status.size() ? std::string() : status.substr(end + 2);
}

bool stopped(const fs::path& process) {
  const std::string status = status_of(process);
  return status.starts_with('T') || status.starts_with('t');
}

std::string time_of_start(const std::string& status) {
  constexpr int words_before = 19;  // field 22 of proc(5); the state is field 3
  std::istringstream words(status);
  std::string word;
  for (int i = 0; i <= words_before; ++i) words >> word;
  return words ? word : std::string();
}

bool has_thread(const fs::path& process, std::string_view name) {
  std::error_code gone;
  for (fs::directory_iterator one(process / "task", gone), end; !gone && one != end; one.increment(gone)) {
    std::string found = content(one->path() / "comm");
    if (found.ends_with('\n')) found.pop_back();
    if (found == name) return true;
  }
  return false;
}

struct Seen {
  bool runs = false;
  bool in_call = false;
};

/// By rank, the processes of this job, with those that they have started.
std::map<int, Seen> processes_of(std::string_view job, std::string_view call) {
  std::map<int, Seen> found;
  std::error_code gone;
  for (fs::directory_iterator one("/proc", gone), end; !gone && one != end; one.increment(gone)) {
    if (number(one->path().filename().string()) < 0) continue;
    const std::string environment = content(one->path() / "environ");
    if (variable(environment, "PMIX_NAMESPACE") != job) continue;
    const int rank = number(variable(environment, "PMIX_RANK").value_or(""));
    if (rank < 0) continue;
    Seen& seen = found[rank];
    if (stopped(one->path())) continue;
    seen.runs = true;
    seen.in_call = seen.in_call || has_thread(one->path(), call);
  }
  return found;
}

}  // namespace

void show_call(std::string_view call) noexcept {
  try {
    std::ofstream("/proc/thread-self/comm") << call.substr(0, longest_name);
  } catch (...) {  // others do not see it
  }
}

Process this_process() { return {number(content("/proc/self/stat")), time_of_start(status_of("/proc/self"))}; }

bool runs(const Process& process) {
  if (process.started.empty()) return true;
  const std::string status = status_of(fs::path("/proc") / std::to_string(process.id));
  return time_of_start(status) == process.started && status.find_first_of("TtZX") != 0;
}

bool job_on_one_node() {
  // Of Open MPI's and of Hydra's launcher.
  const int ranks = std::max(number_of_variable("OMPI_COMM_WORLD_SIZE"), number_of_variable("PMI_SIZE"));
  return ranks > 0 &&
         ranks == std::max(number_of_variable("OMPI_COMM_WORLD_LOCAL_SIZE"), number_of_variable("MPI_LOCALNRANKS"));
}

std::string missing_from(std::string_view call) {
  const char* const job = std::getenv("PMIX_NAMESPACE");
  if (job == nullptr) return {};
  std::map<int, Seen> found = processes_of(job, call.substr(0, longest_name));
  // A process that has ended cannot be seen: known are the ranks of a job on one node.
  if (job_on_one_node()) {
    for (int rank = 0; rank < number_of_variable("OMPI_COMM_WORLD_SIZE"); ++rank) found[rank];
  }
  std::set<int> missing;
  for (const auto& [rank, seen] : found) {
    if (!seen.runs || (!call.empty() && !seen.in_call)) missing.insert(rank);
  }
  if (missing.empty()) return {};
  std::string text = missing.size() == 1 ? "rank" : "ranks";
  for (const int rank : missing) text += fmt::format("{} {}", rank == *missing.begin() ? "" : ",", rank);
  return text + " of MPI_COMM_WORLD " + (missing.size() == 1 ? "is missing" : "are missing");
}

}  // namespace halocline::comm
