// SPDX-License-Identifier: BSD-3-Clause
// Planted: an unreachable array that is never freed.
int main(int argc, char**) {
  double* volatile array = new double[static_cast<unsigned>(argc) + 100];
  array = nullptr;
  return array == nullptr ? 0 : 1;
}
