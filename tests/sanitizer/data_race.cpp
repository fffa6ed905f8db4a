// SPDX-License-Identifier: BSD-3-Clause
// Planted: two threads increment one integer without synchronisation.
#include <thread>

int main() {
  int sum = 0;
  const auto add = [&sum] {
    for (int i = 0; i < 1000; ++i) ++sum;
  };
  std::thread first(add);
  std::thread second(add);
  first.join();
  second.join();
  return 0;
}
