// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace halocline {

/// Removes a file, whichever process made it, at the end of its scope, and also where this process ends without unwinding: a
/// watchdog ends it, or it aborts. Needs no memory. No file at the path is no error. Any thread.
class RemovedFile {
 public:
  /// The path outlives it, unchanged.
  explicit RemovedFile(const std::string& path) noexcept;
  explicit RemovedFile(std::string&& path) = delete;
  RemovedFile(const RemovedFile&) = delete;
  RemovedFile& operator=(const RemovedFile&) = delete;
  ~RemovedFile();

  /// Removes the files of all that there are: to be called before std::_Exit(). If a file system does not answer within 5 s, a signal
  /// ends the process.
  static void remove_all() noexcept;

 private:
  const char* path_;
  RemovedFile* next_;
  RemovedFile* previous_ = nullptr;
};

}  // namespace halocline
