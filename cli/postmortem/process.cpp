// SPDX-License-Identifier: BSD-3-Clause
#include "postmortem/process.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>

#include "core/clock.hpp"
#include "core/folder.hpp"
#include "core/posix_file.hpp"
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

struct Mark {
  std::string path;
  std::int64_t pid = 0;  ///< as the process sees it
  std::uint64_t written = 0;
  std::string folder;
};

/// Nothing if the file is no mark.
std::optional<Mark> read_mark(const std::string& path) {
  alignas(RecorderMark) std::array<std::byte, sizeof(RecorderMark)> bytes{};
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (read_at(file.get(), bytes, 0) != bytes.size()) return std::nullopt;
  const auto* const mark = reinterpret_cast<const RecorderMark*>(bytes.data());
  if (mark->version != RecorderMark::current_version || mark->folder.back() != '\0') return std::nullopt;
  return Mark{path, mark->pid, mark->written.load(std::memory_order_relaxed), mark->folder.data()};
}

std::optional<Mark> mark_of(std::int64_t pid) {
  const std::string folder = fmt::format("/proc/{}/fd", pid);
  const std::string wanted = std::string("/memfd:") + RecorderMark::name;
  for (const std::string& name : names_in(folder)) {
    const std::string path = folder + "/" + name;
    std::error_code closed;
    if (!std::filesystem::read_symlink(path, closed).string().starts_with(wanted) || closed) continue;
    if (auto mark = read_mark(path)) return mark;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::pair<std::string, Recording>> recordings_of_process(std::int64_t pid) {
  std::optional<Mark> mark;
  try {
    mark = mark_of(pid);
  } catch (const std::system_error& error) {
    throw InvalidArgument(
        fmt::format("PID is {}; allowed is a process of this user on this node: {}", pid,
                    error.code().value() == ENOENT ? "there is no such process" : error.code().message()));
  }
  if (!mark) {
    throw InvalidArgument(
        fmt::format("PID is {}, which has no recorder; allowed is a process with a domain that was started with "
                    "HALOCLINE_RECORD=DIR",
                    pid));
  }
  if (::kill(static_cast<pid_t>(pid), recorder_signal) != 0) {
    throw ResourceError(fmt::format("cannot send process {} a signal: {}", pid, std::strerror(errno)));
  }
  const Deadline deadline(Clock::steady(), patience);
  const std::uint64_t before = mark->written;
  while (mark->written == before) {
    if (deadline.expired()) {
      throw DeadlineError(fmt::format("process {} has not written its recordings within {} s; it may be stopped", pid,
                                      std::chrono::duration<double>(patience).count()));
    }
    std::this_thread::sleep_for(pause);
    try {
      mark = read_mark(mark->path);
    } catch (const std::system_error&) {
      mark.reset();
    }
    if (!mark) throw CommunicationError(fmt::format("process {} has ended before it wrote its recordings", pid));
  }
  std::vector<std::pair<std::string, Recording>> found;
  auto names = names_in(mark->folder);
  std::ranges::sort(names);
  for (const std::string& name : names) {
    const auto about = io::recording_of_name(name);
    if (!about || about->pid != mark->pid) continue;
    const std::string path = mark->folder + "/" + name;
    found.emplace_back(path, read_recording(path));
  }
  return found;
}

}  // namespace cli::postmortem
