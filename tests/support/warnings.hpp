// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/log.hpp"

namespace halocline::test {

/// The warnings that begin with some text, while it exists.
class Warnings {
 public:
  explicit Warnings(std::string begin = {}) {
    set_log_sink([this, begin = std::move(begin)](LogLevel level, std::string_view message) {
      const std::lock_guard lock(mutex_);
      if (level == LogLevel::warning && message.starts_with(begin)) all_.emplace_back(message);
    });
  }
  ~Warnings() { set_log_sink({}); }
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;
  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }

 private:
  std::mutex mutex_;
  std::vector<std::string> all_;
};

}  // namespace halocline::test
