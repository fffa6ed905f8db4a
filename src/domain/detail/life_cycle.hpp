// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string_view>

namespace halocline {

/// The state of a domain, and the error that it failed with. The checks throw if a call is not allowed: InvalidArgument
/// that names the call and when it is allowed, or the first failure again.
class LifeCycle {
 public:
  enum class State { made, planned, realized, failed, closed };

  [[nodiscard]] State state() const { return state_; }
  void reach(State state) { state_ = state; }
  /// The first failure is kept; failures after close() are ignored.
  void fail(std::exception_ptr failure) noexcept;
  /// Null unless it has failed.
  [[nodiscard]] const std::exception_ptr& failure() const { return failure_; }

  void check_not_failed() const;
  void check_open(std::string_view call) const;
  void check_before_plan(std::string_view call) const;
  void check_after_plan(std::string_view call) const;
  /// After plan(), before realize().
  void check_planned(std::string_view call) const;
  void check_realized(std::string_view call) const;

 private:
  State state_ = State::made;
  std::exception_ptr failure_;
};

}  // namespace halocline
