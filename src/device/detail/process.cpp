// SPDX-License-Identifier: BSD-3-Clause
#include "device/detail/process.hpp"

#include <unistd.h>

#include <random>

#include "core/hash.hpp"

namespace halocline::device {

std::uint64_t process_identity() {
  static const std::int64_t random = [] {
    std::random_device device;
    return static_cast<std::int64_t>((std::uint64_t{device()} << 32) ^ device());
  }();
  // The pid as well: a forked process has its parent's random number.
  return Hash().add(random).add(std::int64_t{::getpid()}).value();
}

}  // namespace halocline::device
