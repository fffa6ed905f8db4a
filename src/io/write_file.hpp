// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace halocline::io {

/// The permissions of a new file, within the umask; a file that is replaced keeps its permissions.
enum class FileKind { data, program };  ///< program: users that may read it may execute it

/// Writes a whole file, or leaves the existing one unchanged. The content goes to a temporary file in the same folder
/// (created exclusively, with an unpredictable name), is synchronised, and replaces the old file by rename(). A process
/// that is killed meanwhile leaves the old file, and a temporary file named .halocline-*.
///
/// If the path is not a regular file (a device, a pipe, /dev/stdout), it is written to in place, and never replaced or
/// removed. A symbolic link is followed only to such a file; a link to a regular file, or to nothing, is refused,
/// except if it leads to this process's own standard output.
///
/// name: the option or variable that the path comes from, for errors. Throws InvalidArgument "<name> is '<path>';
/// allowed is ..." if no file can be written at that path, ResourceError if writing fails.
void write_file(const std::string& name, const std::string& path, std::string_view content,
                FileKind kind = FileKind::data);

/// Throws as write_file() would for a path at which no file can be written, and changes nothing: to be called before
/// long work.
void check_writable(const std::string& name, const std::string& path);

/// Whether a file has the name of such a temporary file, which a killed process may have left.
[[nodiscard]] bool is_temporary_name(std::string_view name);

/// The same for a file that others write: an empty temporary file, which commit() puts in the place of the path's. Owner; its
/// destructor removes the temporary file if it was not committed.
class PendingFile {
 public:
  /// Throws as write_file(), and InvalidArgument if there is something at the path that is not a regular file.
  PendingFile(std::string name, std::string path);
  PendingFile(PendingFile&&) noexcept;
  PendingFile& operator=(PendingFile&&) noexcept;
  ~PendingFile();

  [[nodiscard]] std::string temporary_path() const;
  /// Throws ResourceError unless the file has this number of bytes by now.
  void commit(std::int64_t bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halocline::io
