// SPDX-License-Identifier: BSD-3-Clause
// Errors as status codes with a text for each thread, the version, and log output.
#include "status.hpp"

#include <halocline/environment.hpp>

namespace halocline::c {
namespace {

struct LastError {
  halocline_status status = HALOCLINE_SUCCESS;
  std::string text;
};
thread_local LastError last_error;

const char* name_of(halocline_status status) {
  switch (status) {
    case HALOCLINE_SUCCESS: return "success";
    case HALOCLINE_INVALID_ARGUMENT:
    case HALOCLINE_CAPABILITY_ERROR:
    case HALOCLINE_RESOURCE_ERROR:
    case HALOCLINE_COMMUNICATION_ERROR:
    case HALOCLINE_DEVICE_ERROR:
    case HALOCLINE_DEADLINE_ERROR:
    case HALOCLINE_PROTOCOL_ERROR:
    case HALOCLINE_INTERNAL_ERROR: return to_string(static_cast<ErrorKind>(status)).data();  // of string literals
    default: return "unknown status";
  }
}

}  // namespace

static_assert(HALOCLINE_INVALID_ARGUMENT == static_cast<int>(ErrorKind::invalid_argument));
static_assert(HALOCLINE_INTERNAL_ERROR == static_cast<int>(ErrorKind::internal));

halocline_status failed(halocline_status status, const char* text) noexcept {
  last_error.status = status;
  try {
    last_error.text = text;
  } catch (...) {
    last_error.text.clear();  // no memory for the text
  }
  return status;
}

void check_callback(std::string_view name, halocline_status status) {
  if (status == HALOCLINE_SUCCESS) return;
  if (status < HALOCLINE_INVALID_ARGUMENT || status > HALOCLINE_INTERNAL_ERROR) {
    throw InvalidArgument(std::string(name) + " returned " + std::to_string(status) +
                          "; allowed is a halocline_status: 0 to 8");
  }
  throw_error(static_cast<ErrorKind>(status), std::string(name) + " returned '" + name_of(status) + "'" +
                                                  (last_error.status == status ? ": " + last_error.text : ""));
}

std::size_t checked_count(std::int64_t count, const void* array, std::string_view name) {
  if (count < 0) {
    throw InvalidArgument("number of " + std::string(name) + " is " + std::to_string(count) + "; allowed is 0 or more");
  }
  if (count > 0 && array == nullptr) {
    throw InvalidArgument(std::string(name) + " is NULL; allowed is an array of " + std::to_string(count));
  }
  return static_cast<std::size_t>(count);
}

}  // namespace halocline::c

using halocline::c::guarded;
using halocline::c::last_error;
using halocline::c::name_of;

const char* halocline_last_error() { return last_error.text.c_str(); }
const char* halocline_status_name(halocline_status status) { return name_of(status); }
const char* halocline_version() { return HALOCLINE_VERSION; }

halocline_status halocline_set_log_callback(halocline_log_callback callback, void* user) {
  return guarded([&] {
    if (callback == nullptr) return halocline::set_log_sink({});
    halocline::set_log_sink([callback, user](halocline::LogLevel level, std::string_view message) {
      callback(static_cast<std::int32_t>(level), std::string(message).c_str(), user);
    });
  });
}
