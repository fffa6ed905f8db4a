// SPDX-License-Identifier: BSD-3-Clause
#include "domain/recorder_mark.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/folder.hpp"

namespace halocline {

std::optional<RecorderOfProcess> RecorderOfProcess::of(std::int64_t pid) {
  const std::string folder = fmt::format("/proc/{}/fd", pid);
  const std::string wanted = std::string("/memfd:") + RecorderMark::name;
  for (const std::string& name : names_in(folder)) {
    std::string path = folder + "/" + name;
    std::error_code closed;
    if (!std::filesystem::read_symlink(path, closed).string().starts_with(wanted) || closed) continue;
    const AnonymousFileHandle handle = AnonymousFile::handle_of(pid, std::atoi(name.c_str()));
    if (handle.bytes < sizeof(RecorderMark)) continue;
    RecorderOfProcess found(std::move(path), AnonymousFile::open(handle));
    if (found.is_there() && found.mark().folder.back() == '\0') return found;
  }
  return std::nullopt;
}

std::uint64_t RecorderOfProcess::request() { return mark().requested.fetch_add(1, std::memory_order_release) + 1; }

bool RecorderOfProcess::has_written(std::uint64_t request) const {
  return mark().written.load(std::memory_order_acquire) >= request;
}

bool RecorderOfProcess::is_there() const {
  std::error_code gone;
  return mark().version.load(std::memory_order_acquire) == RecorderMark::current_version &&
         std::filesystem::is_symlink(path_, gone);
}

}  // namespace halocline
