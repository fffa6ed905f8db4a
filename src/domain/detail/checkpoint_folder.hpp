// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halocline {

/// The files of a folder of checkpoints, on one rank.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string manifest_path(std::int64_t generation) const;

  /// Makes the folder if it is not there. Throws InvalidArgument if that is not possible.
  void make() const;
  /// Generations that have a manifest, newest first. Empty without the folder.
  [[nodiscard]] std::vector<std::int64_t> generations() const;
  /// One more than that of any file of a checkpoint, so that no name is taken.
  [[nodiscard]] std::int64_t next_generation() const;
  /// The text of a manifest. Throws InvalidArgument if it cannot be read.
  [[nodiscard]] std::string manifest_text(std::int64_t generation) const;
  /// Removes all but the newest generations, files of generations that have no manifest, and temporary files of killed runs; each
  /// manifest goes before its data. Files with other names stay. Failures are logged.
  void keep_newest(int generations) const;

 private:
  std::string path_;
};

}  // namespace halocline
