// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "comm/rank_group.hpp"
#include "core/posix_file.hpp"
#include "halocline/error.hpp"

namespace halocline::comm {

[[noreturn]] inline void refuse_file(const std::string& what, const std::string& why) {
  throw ResourceError(fmt::format("{} cannot be written: {}", what, why));
}

/// Opens an existing regular file for reading and writing. bytes: that it will have; rank 0 reserves them.
[[nodiscard]] inline Descriptor open_existing(const RankGroup& comm, const std::string& path, const std::string& what,
                                              std::int64_t bytes) {
  try {
    Descriptor file(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    check_file_size(bytes);
    if (comm.rank() == rank_id(0)) reserve_space(file.get(), bytes);
    return file;
  } catch (const std::system_error& error) {
    refuse_file(what, error.code().message());
  }
}

/// The first failure of a file that several ranks write: they go on with the calls that they make together.
class KeptFailure {
 public:
  template <typename Step>
  void keep(Step&& step) noexcept {
    try {
      std::forward<Step>(step)();
    } catch (...) {
      if (!first_) first_ = std::current_exception();
    }
  }
  [[nodiscard]] bool failed() const { return first_ != nullptr; }
  [[nodiscard]] const std::exception_ptr& first() const { return first_; }

 private:
  std::exception_ptr first_;
};

}  // namespace halocline::comm
