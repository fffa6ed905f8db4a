// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "halocline/environment.hpp"

namespace halocline::io {

/// The content of a file of at most `most` bytes; nothing if there is no file. Throws ResourceError "<name> '<path>' cannot be read: ...".
[[nodiscard]] std::optional<std::string> content_if_there(const std::string& name, const std::string& path,
                                                          std::size_t most);

/// Replaces a file by change(its content, or nothing), as write_file() does. Processes that do this at the same time for one path take
/// turns, so that no change is lost: each holds a lock on the file '<path>.lock', which stays. Throws as the functions above, and
/// ResourceError if the lock is not free within `patience`.
void update_file(const std::string& name, const std::string& path, std::size_t most, Duration patience,
                 const std::function<std::string(const std::optional<std::string>&)>& change);

}  // namespace halocline::io
