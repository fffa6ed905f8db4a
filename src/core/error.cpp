// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/error.hpp"

namespace halocline {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument: return "invalid argument";
    case ErrorKind::capability: return "capability";
    case ErrorKind::resource: return "resource";
    case ErrorKind::communication: return "communication";
    case ErrorKind::device: return "device";
    case ErrorKind::deadline: return "deadline";
    case ErrorKind::protocol: return "protocol";
    case ErrorKind::internal: return "internal";
  }
  return "unknown";
}

void throw_error(ErrorKind kind, const std::string& message) {
  switch (kind) {
    case ErrorKind::invalid_argument: throw InvalidArgument(message);
    case ErrorKind::capability: throw CapabilityError(message);
    case ErrorKind::resource: throw ResourceError(message);
    case ErrorKind::communication: throw CommunicationError(message);
    case ErrorKind::device: throw DeviceError(message);
    case ErrorKind::deadline: throw DeadlineError(message);
    case ErrorKind::protocol: throw ProtocolError(message);
    case ErrorKind::internal: break;
  }
  throw InternalError(message);
}

}  // namespace halocline
