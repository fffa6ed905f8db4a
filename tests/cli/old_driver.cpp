// SPDX-License-Identifier: BSD-3-Clause
// Stands for a driver (libcuda.so.1) of CUDA 11.0, which is older than any that a build needs.
extern "C" {
int cuInit(unsigned flags);
int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int* version);
int cuDriverGetVersion(int* version) {
  *version = 11000;
  return 0;
}
}
