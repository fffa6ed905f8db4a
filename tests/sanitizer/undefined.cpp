// SPDX-License-Identifier: BSD-3-Clause
// Planted: more cells than an int can count.
int main(int argc, char**) {
  const volatile int cells = 2147483647;
  const int sum = cells + argc;  // argc is 1
  return sum == 0 ? 1 : 0;
}
