// SPDX-License-Identifier: BSD-3-Clause
// Planted: a rate that exceeds every 64-bit integer.
int main(int argc, char**) {
  const volatile double bytes_per_second = 9.3e18;
  const auto bytes = static_cast<long long>(bytes_per_second * argc);  // argc is 1
  return bytes == 0 ? 1 : 0;
}
