// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline.h>

#include <halocline/error.hpp>

#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>

namespace halocline::c {

/// Keeps the text for the calling thread's halocline_last_error(), and returns the status.
halocline_status failed(halocline_status status, const char* text) noexcept;

/// Throws the error of a callback that returned a status; nothing for HALOCLINE_SUCCESS. The text is the thread's last error where
/// that is of this status, as where the callback returned what a function returned to it.
void check_callback(std::string_view name, halocline_status status);

/// Calls f; what it throws becomes a status. Every function of the interface is one of these calls.
template <typename F>
halocline_status guarded(F&& f) noexcept {
  try {
    f();
    return HALOCLINE_SUCCESS;
  } catch (const Error& error) {
    return failed(static_cast<halocline_status>(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    return failed(HALOCLINE_RESOURCE_ERROR, "memory of the host ran out");
  } catch (const std::exception& error) {
    return failed(HALOCLINE_INTERNAL_ERROR, error.what());
  } catch (...) {
    return failed(HALOCLINE_INTERNAL_ERROR, "an exception of an unknown type");
  }
}

/// The object that a pointer refers to. Throws InvalidArgument that names it for NULL; handles (handles.hpp), which have a domain's
/// state, are NULL before they are created and after their end, also in the objects of Fortran.
template <typename T>
T& required(T* pointer, const char* name) {
  constexpr bool handle = requires { pointer->state; };
  constexpr std::string_view allowed =
      handle ? "one that was created, before it is closed or destroyed" : "a pointer to an object";
  if (pointer == nullptr) throw InvalidArgument(std::string(name) + " is NULL; allowed is " + std::string(allowed));
  return *pointer;
}

/// The number of elements of an array. Throws InvalidArgument for a negative one, and where there are elements and no array.
std::size_t checked_count(std::int64_t count, const void* array, std::string_view name);

/// The enumerator of a constant from `first` to `last`, the first being Enum's 0. Throws InvalidArgument for another number.
template <typename Enum>
Enum enumerator(std::int32_t value, std::int32_t first, std::int32_t last, std::string_view name) {
  if (value < first || value > last) {
    throw InvalidArgument(std::string(name) + " is " + std::to_string(value) + "; allowed is " + std::to_string(first) +
                          " to " + std::to_string(last));
  }
  return static_cast<Enum>(value - first);
}

}  // namespace halocline::c
