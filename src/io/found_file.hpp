// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <string>

#include "core/posix_file.hpp"
#include "halocline/error.hpp"

namespace halocline::io {

/// Opens a file for reading that was found by its name in a folder: a pipe with that name could be waited for without end. Throws
/// InvalidArgument that names it if it is neither a regular file nor a folder. flags: further ones, such as O_NOFOLLOW.
[[nodiscard]] inline Descriptor open_found(const std::string& path, int flags = 0) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags));
  struct stat status {};
  checked_call(::fstat(file.get(), &status));
  if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return file;  // reading a folder fails with EISDIR
  throw InvalidArgument("'" + path + "' is no regular file; allowed are regular files");
}

}  // namespace halocline::io
