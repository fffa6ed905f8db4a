// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "halocline/error.hpp"

namespace halocline::device::cuda {

class Devices;

/// The CUDA backend's own kind of an object, of these devices.
template <typename To, typename From>
To& own(From& object, const Devices* devices, const char* what) {
  auto* mine = dynamic_cast<To*>(&object);
  if (mine == nullptr || &mine->devices() != devices) {
    throw InvalidArgument(std::string("the ") + what + " belongs to another backend than the stream");
  }
  return *mine;
}

}  // namespace halocline::device::cuda
