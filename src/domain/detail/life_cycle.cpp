// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/life_cycle.hpp"

#include <fmt/core.h>

#include <utility>

#include "halocline/error.hpp"

namespace halocline {

void LifeCycle::fail(std::exception_ptr failure) noexcept {
  if (state_ == State::failed || state_ == State::closed) return;
  failure_ = std::move(failure);
  state_ = State::failed;
}

void LifeCycle::check_not_failed() const {
  if (state_ == State::failed) std::rethrow_exception(failure_);
}

void LifeCycle::check_open(std::string_view call) const {
  check_not_failed();
  if (state_ == State::closed) throw InvalidArgument(fmt::format("{} after close(); allowed is before", call));
}

void LifeCycle::check_before_plan(std::string_view call) const {
  check_open(call);
  if (state_ == State::made) return;
  throw InvalidArgument(fmt::format("{} after plan() or realize(); allowed is before", call));
}

void LifeCycle::check_after_plan(std::string_view call) const {
  check_open(call);
  if (state_ != State::made) return;
  throw InvalidArgument(fmt::format("{} before plan() or realize(); allowed is after", call));
}

void LifeCycle::check_planned(std::string_view call) const {
  check_open(call);
  if (state_ == State::planned) return;
  throw InvalidArgument(fmt::format("{} is called before plan() or after realize(); allowed is between the two", call));
}

void LifeCycle::check_realized(std::string_view call) const {
  check_open(call);
  if (state_ == State::realized) return;
  throw InvalidArgument(fmt::format("{} before realize(); allowed is after", call));
}

}  // namespace halocline
