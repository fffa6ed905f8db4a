// SPDX-License-Identifier: BSD-3-Clause
#include "postmortem/process.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <system_error>
#include <thread>

#include "core/clock.hpp"
#include "core/folder.hpp"
#include "domain/recorder_mark.hpp"
#include "halocline/error.hpp"
#include "io/recording_file.hpp"
#include "postmortem/folder.hpp"

namespace cli::postmortem {
namespace {

using namespace halocline;

/// Devices have 2 s each to answer.
constexpr Duration patience = std::chrono::seconds(30);
constexpr auto pause = std::chrono::milliseconds(20);

}  // namespace

std::vector<std::pair<std::string, Recording>> recordings_of_process(std::int64_t pid) {
  std::optional<RecorderOfProcess> recorder;
  try {
    recorder = RecorderOfProcess::of(pid);
  } catch (const std::system_error& error) {
    throw InvalidArgument(
        fmt::format("PID is {}; allowed is a process of this user on this node: {}", pid,
                    error.code().value() == ENOENT ? "there is no such process" : error.code().message()));
  }
  if (!recorder) {
    throw InvalidArgument(
        fmt::format("PID is {}, which has no recorder; allowed is a process with a domain that was started with "
                    "HALOCLINE_RECORD=DIR",
                    pid));
  }
  const std::uint64_t request = recorder->request();
  const Deadline deadline(Clock::steady(), patience);
  while (!recorder->has_written(request)) {
    if (!recorder->is_there()) {
      throw CommunicationError(
          fmt::format("process {} has ended, or closed its domains, before it wrote its recordings", pid));
    }
    if (deadline.expired()) {
      throw DeadlineError(fmt::format("process {} has not written its recordings within {} s; it may be stopped", pid,
                                      std::chrono::duration<double>(patience).count()));
    }
    std::this_thread::sleep_for(pause);
  }
  const std::string folder = recorder->folder();
  std::vector<std::pair<std::string, Recording>> found;
  auto names = names_in(folder);
  std::ranges::sort(names);
  for (const std::string& name : names) {
    const auto about = io::recording_of_name(name);
    if (!about || about->pid != recorder->pid()) continue;
    const std::string path = folder + "/" + name;
    found.emplace_back(path, read_recording(path));
  }
  return found;
}

}  // namespace cli::postmortem
