// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "core/anonymous_file.hpp"

namespace halocline {

/// What a process that writes recordings shares with other processes of its user: an anonymous file of this name with this content, which
/// they find in /proc/<pid>/fd and map.
struct RecorderMark {
  static constexpr const char* name = "halocline-recorder";
  static constexpr std::uint64_t current_version = 2;

  std::atomic<std::uint64_t> version{0};  ///< 0: the process has no domain that is recorded
  std::int64_t pid = 0;                   ///< as the process sees it, which names its files
  /// Who wants recordings adds 1, and waits until `written` is at least the sum.
  std::atomic<std::uint64_t> requested{0};
  std::atomic<std::uint64_t> written{0};  ///< requests that recordings have been written for
  std::array<char, 4096> folder{};        ///< absolute, ends with 0
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// The mark of another process, or of this one.
class RecorderOfProcess {
 public:
  /// Nothing if the process has no recorder. Throws std::system_error if there is no such process, or it is another user's.
  [[nodiscard]] static std::optional<RecorderOfProcess> of(std::int64_t pid);

  /// Returns its number. The process writes the recordings of all its domains within 0.1 s, and the time that its devices need.
  [[nodiscard]] std::uint64_t request();
  [[nodiscard]] bool has_written(std::uint64_t request) const;
  /// Whether the process has a domain that is recorded. It may be stopped.
  [[nodiscard]] bool is_there() const;
  /// Of its files.
  [[nodiscard]] std::int64_t pid() const { return mark().pid; }
  [[nodiscard]] std::string folder() const { return mark().folder.data(); }

 private:
  RecorderOfProcess(std::string path, AnonymousFile file) : path_(std::move(path)), file_(std::move(file)) {}
  [[nodiscard]] RecorderMark& mark() const { return *reinterpret_cast<RecorderMark*>(file_.data()); }

  std::string path_;  ///< of the file, as long as the process has it
  AnonymousFile file_;
};

}  // namespace halocline
