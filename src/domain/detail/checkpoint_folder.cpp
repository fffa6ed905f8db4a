// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/checkpoint_folder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "core/folder.hpp"
#include "core/log.hpp"
#include "halocline/error.hpp"
#include "io/found_file.hpp"
#include "io/manifest.hpp"
#include "io/write_file.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

struct File {
  std::string name;
  io::GenerationFile about;
};

/// None if there is no such folder.
std::vector<std::string> all_names_in(const std::string& path) {
  try {
    return names_in(path);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::no_such_file_or_directory) return {};
    throw InvalidArgument(fmt::format("checkpoint folder is '{}'; allowed is a folder that can be read: {}", path,
                                      error.code().message()));
  }
}

/// The files of the folder that are named as files of a checkpoint.
std::vector<File> files_of(const std::string& path) {
  std::vector<File> files;
  for (const std::string& name : all_names_in(path)) {
    if (const auto about = io::generation_of(name)) files.push_back({name, *about});
  }
  return files;
}

void remove_old(const std::string& folder, const std::string& name) {
  std::error_code error;
  fs::remove(folder + "/" + name, error);
  if (!error) return;
  log(LogLevel::warning,
      fmt::format("checkpoint file '{}/{}' is old and cannot be removed: {}", folder, name, error.message()));
}

}  // namespace

std::string CheckpointFolder::manifest_path(std::int64_t generation) const {
  return path_ + "/" + io::manifest_name(generation);
}

void CheckpointFolder::make() const {
  std::error_code error;
  fs::create_directory(path_, error);
  if (!error && fs::is_directory(path_, error)) return;
  if (!error) error = std::make_error_code(std::errc::not_a_directory);
  throw InvalidArgument(fmt::format("checkpoint folder is '{}'; allowed is a folder that can be made or written to: {}",
                                    path_, error.message()));
}

std::vector<std::int64_t> CheckpointFolder::generations() const {
  std::vector<std::int64_t> all;
  for (const File& file : files_of(path_)) {
    if (file.about.manifest) all.push_back(file.about.generation);
  }
  std::ranges::sort(all, std::ranges::greater());
  return all;
}

std::int64_t CheckpointFolder::next_generation() const {
  std::int64_t last = 0;
  for (const File& file : files_of(path_)) last = std::max(last, file.about.generation);
  return last + 1;
}

std::string CheckpointFolder::manifest_text(std::int64_t generation) const {
  const std::string path = manifest_path(generation);
  try {
    return read_rest(io::open_found(path));
  } catch (const std::system_error& error) {
    throw InvalidArgument(fmt::format("checkpoint manifest '{}' cannot be read: {}", path, error.code().message()));
  }
}

void CheckpointFolder::keep_newest(int generations) const {
  std::vector<std::int64_t> kept = this->generations();
  kept.resize(std::min(kept.size(), static_cast<std::size_t>(generations)));
  std::vector<File> files = files_of(path_);
  std::ranges::stable_partition(files, [](const File& file) { return file.about.manifest; });
  for (const File& file : files) {
    if (std::ranges::find(kept, file.about.generation) != kept.end()) continue;
    remove_old(path_, file.name);
  }
  for (const std::string& name : all_names_in(path_)) {
    if (io::is_temporary_name(name)) remove_old(path_, name);
  }
}

}  // namespace halocline
