// SPDX-License-Identifier: BSD-3-Clause
// A target with a fault of each kind, by which planted.cmake sees that the driver reports it. The first byte of an input chooses the fault.
#include <unistd.h>

#include <vector>

#include "target.hpp"

namespace halocline::fuzz {

std::vector<std::string> own_seeds() { return {"good", "bad"}; }

}  // namespace halocline::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace halocline;
  return fuzz::run_target(data, size, [](std::string_view text) {
    switch (text.empty() ? '\0' : text.front()) {
      case 'b': throw InvalidArgument("a bad one");
      case 'c': std::abort();
      case 'e': throw std::runtime_error("not Halocline's own");
      case 'l':
        for (volatile bool forever = true; forever;) static_cast<void>(forever);
        break;
      case 'm': {
        std::vector<std::vector<char>> all;
        for (int i = 0; i < 1024; ++i) all.emplace_back(std::size_t{1} << 20, 'x');
        break;
      }
      case 'v': fuzz::require(text.size() > 1, "more than a byte"); break;
      case 'x': std::_Exit(3);
      default: break;
    }
  });
}
