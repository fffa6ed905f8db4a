// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] halocline {

/// Why something failed. Ranks exchange the kind, so that all of them throw the same type.
enum class ErrorKind : int {
  invalid_argument = 1,  ///< the caller's input; the message names it, its value and what is allowed
  capability = 2,        ///< requested by name, but absent in this build or on this machine
  resource = 3,          ///< memory, file descriptors or the like ran out
  communication = 4,     ///< MPI or another rank failed
  device = 5,            ///< a device operation failed
  deadline = 6,          ///< a wait lasted longer than the user allows; names pair, transport and step
  protocol = 7,          ///< two sides disagree, e.g. one swapped its buffers and the other did not
  internal = 8,          ///< a bug in Halocline
};

/// "invalid argument", "deadline", ...
[[nodiscard]] std::string_view to_string(ErrorKind kind);

/// Base of all exceptions that Halocline throws.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

/// One type for each kind, for catch clauses.
template <ErrorKind K>
class ErrorOf : public Error {
 public:
  explicit ErrorOf(const std::string& message) : Error(K, message) {}
};

using InvalidArgument = ErrorOf<ErrorKind::invalid_argument>;
using CapabilityError = ErrorOf<ErrorKind::capability>;
using ResourceError = ErrorOf<ErrorKind::resource>;
using CommunicationError = ErrorOf<ErrorKind::communication>;
using DeviceError = ErrorOf<ErrorKind::device>;
using DeadlineError = ErrorOf<ErrorKind::deadline>;
using ProtocolError = ErrorOf<ErrorKind::protocol>;
using InternalError = ErrorOf<ErrorKind::internal>;

/// Throws the ErrorOf<kind> of a kind that is known only at run time.
[[noreturn]] void throw_error(ErrorKind kind, const std::string& message);

}  // namespace halocline
