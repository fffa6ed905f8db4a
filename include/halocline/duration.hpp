#pragma once

#include <chrono>

namespace halocline {

using Duration = std::chrono::nanoseconds;

}  // namespace halocline
