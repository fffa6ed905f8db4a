// SPDX-License-Identifier: BSD-3-Clause
#include "postmortem/folder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/folder.hpp"
#include "core/posix_file.hpp"
#include "halocline/error.hpp"
#include "io/found_file.hpp"
#include "io/recording_file.hpp"

namespace cli::postmortem {
namespace {

using namespace halocline;

std::vector<std::string> names_of(const std::string& folder) {
  try {
    auto names = names_in(folder);
    std::ranges::sort(names);
    return names;
  } catch (const std::system_error& error) {
    throw InvalidArgument(
        fmt::format("DIR is '{}'; allowed is a folder that can be read: {}", folder, error.code().message()));
  }
}

}  // namespace

Recording read_recording(const std::string& path) {
  std::string text;
  try {
    text = read_rest(io::open_found(path), io::most_recording_bytes);
  } catch (const std::system_error& error) {
    throw InvalidArgument(fmt::format("recording '{}' cannot be read: {}", path, error.code().message()));
  }
  return io::recording_from(text, path);
}

std::map<std::int64_t, std::vector<Recording>> recordings_in(const std::string& folder) {
  std::map<std::int64_t, std::vector<Recording>> found;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> files;  // by domain and rank
  for (const std::string& name : names_of(folder)) {
    const auto about = io::recording_of_name(name);
    if (!about) continue;
    const auto [other, first] = files.emplace(std::pair(about->domain, about->rank), name);
    if (first) continue;
    throw InvalidArgument(
        fmt::format("DIR is '{}', which has '{}' and '{}', two recordings of rank {}; allowed are "
                    "recordings of one job: remove the older ones",
                    folder, other->second, name, about->rank));
  }
  for (const auto& [about, name] : files) {
    Recording recording = read_recording(folder + "/" + name);
    if (io::recording_name(recording.rank, recording.pid, recording.domain) != name) {
      throw InvalidArgument(
          fmt::format("recording '{}/{}' is of rank {}, process {}, domain {}; allowed is a file of "
                      "that name",
                      folder, name, recording.rank, recording.pid, recording.domain));
    }
    found[about.first].push_back(std::move(recording));
  }
  if (found.empty()) {
    throw InvalidArgument(fmt::format(
        "DIR is '{}', which has no recordings; allowed is a folder with files rank-<rank>.<pid>.json", folder));
  }
  return found;
}

}  // namespace cli::postmortem
