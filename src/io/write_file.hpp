// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace halocline::io {

/// What a new file may be used for, within the umask; one that is replaced keeps its permissions.
enum class FileKind { data, program };  ///< program: whoever may read it may execute it

/// Writes a whole file, or leaves what was there as it was: the content goes to a temporary in the same folder (created
/// exclusively, with an unpredictable name), is synchronised, and takes the place of the old file by rename(). A process
/// that is killed meanwhile leaves the old file, and a temporary named .halocline-*.
///
/// What is not a regular file (a device, a pipe, /dev/stdout) is written to as it is, and never replaced or removed. A
/// symbolic link is followed to such a file only; one to a regular file, or to nothing, is refused, except where it
/// leads to this process's own standard output.
///
/// name: of the option or variable that the path is from, for errors. Throws InvalidArgument
/// "<name> is '<path>'; allowed is ..." where no file can be written by that path, ResourceError where writing fails.
void write_file(const std::string& name, const std::string& path, std::string_view content,
                FileKind kind = FileKind::data);

/// Throws as write_file() would for a path by which no file can be written, and leaves everything as it was: to be called
/// before long work.
void check_writable(const std::string& name, const std::string& path);

}  // namespace halocline::io
