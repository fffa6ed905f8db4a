// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "device/disagreement.hpp"
#include "halocline/error.hpp"

namespace halocline::device {

/// What a stream failed with. A value, not an exception_ptr: each throw makes an exception of its own, so that threads
/// do not share one exception object.
struct Failure {
  ErrorKind kind = ErrorKind::device;
  std::string message;
  std::optional<Tokens> tokens{};  ///< of a Disagreement
};
using FailurePtr = std::shared_ptr<const Failure>;

[[nodiscard]] FailurePtr make_failure(ErrorKind kind, std::string message);
[[nodiscard]] FailurePtr make_disagreement(std::string message, const Tokens& tokens);
/// Halocline's errors keep their kind; what a user's function throws becomes a DeviceError with its text.
[[nodiscard]] FailurePtr failure_of(const std::exception_ptr& error, const std::string& where);
[[noreturn]] void raise(const Failure& failure);

}  // namespace halocline::device
