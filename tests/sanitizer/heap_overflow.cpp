// SPDX-License-Identifier: BSD-3-Clause
// Planted: a write one cell beyond the end of an array, as with a wrong halo width.
#include <cstddef>
#include <memory>

int main(int argc, char**) {
  const std::size_t cells = 8;
  const auto array = std::make_unique<double[]>(cells);
  array[cells - 1 + static_cast<std::size_t>(argc)] = 1.0;  // argc is 1: the compiler does not know
  return 0;
}
