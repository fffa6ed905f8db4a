// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

}  // namespace halocline::io
