// SPDX-License-Identifier: BSD-3-Clause
// What mutants_test.py draws from: each operator, nested places, and places that are none.
#include <atomic>
#include <cstdio>

#define TWICE(x) ((x) + (x))

namespace {

enum class Colour { red = 3 };
constexpr int most = 4;
static_assert(most + 1 == 5);

std::atomic<int> posted{0};
int calls = 0;

void call() { ++calls; }

bool fits(int a, int b) { return a < b && b <= most; }

constexpr int next(int value) { return value + 1; }
static_assert(next(1) == 2);

int sum(int count) {
  int total = 0;
  for (int i = 0; i < count; ++i) {
    if (fits(i, count)) total += i;
    call();
  }
  switch (total) {
    case 6: posted.store(total, std::memory_order_release); break;
    default: break;
  }
  return total;
}

}  // namespace

int main() {
  const int total = sum(4);
  std::printf("%d %d %d %d\n", total, calls, next(posted.load(std::memory_order_acquire)),
              TWICE(static_cast<int>(Colour::red)));
}
