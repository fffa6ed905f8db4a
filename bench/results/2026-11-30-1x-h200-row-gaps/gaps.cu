// Where the gap between two rows lies in memory: time to read the ends, write the gap, and both.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s: %s\n", #x, cudaGetErrorString(e)); return 1; } } while (0)
enum Mode { READ, WRITE, BOTH, BOTH_STREAM };
template <int MODE>
__global__ void __launch_bounds__(256) work(char* base, long pitch, long rows, int row_bytes, uint4* sink, int units) {
  const long n = rows * 4;
  long stride = (long)gridDim.x * blockDim.x;
  uint4 sum{};
  for (long t0 = blockIdx.x * (long)blockDim.x + threadIdx.x; t0 < n; t0 += stride * units) {
    uint4 v[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      const long t = t0 + u * stride;
      if (u >= units || t >= n) continue;
      const long row = t >> 2; const int c = t & 3;
      char* owned = base + row * pitch + 32;
      const char* from = c < 2 ? owned + row_bytes - 32 + 16 * c : owned + 16 * (c - 2);
      if (MODE != WRITE) v[u] = MODE == BOTH_STREAM ? __ldcs((const uint4*)from) : __ldcg((const uint4*)from); else v[u] = make_uint4(1, 2, 3, (unsigned)t);
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      const long t = t0 + u * stride;
      if (u >= units || t >= n) continue;
      const long row = t >> 2; const int c = t & 3;
      char* owned = base + row * pitch + 32;
      char* to = c < 2 ? owned - 32 + 16 * c : owned + row_bytes + 16 * (c - 2);
      if (MODE == READ) { sum.x ^= v[u].x; sum.y ^= v[u].y; sum.z ^= v[u].z; sum.w ^= v[u].w; }
      else if (MODE == BOTH_STREAM) __stcs((uint4*)to, v[u]); else *(uint4*)to = v[u];
    }
  }
  if (MODE == READ && sum.x == 0x12345678) *sink = sum;
}
int main() {
  const long rows = 1l << 20; const int row_bytes = 2048;
  char* memory; CK(cudaMalloc(&memory, rows * 2560 + (1 << 20))); CK(cudaMemset(memory, 0, rows * 2560 + (1 << 20)));
  uint4* sink; CK(cudaMalloc(&sink, 64));
  cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
  printf("pitch,shift,blocks,units,mode,us\n");
  const long pitches[] = {2112, 2144, 2176, 2240, 2304, 2048 + 512};
  const char* names[] = {"read", "write", "both", "both cs"};
  for (long pitch : pitches) for (int shift : {0, 16, 32, 64, 96}) for (int blocks : {264, 528, 4096}) for (int units : {1, 4}) {
    if ((shift == 16) && pitch != 2112) continue;
    if (blocks == 4096 && units == 1) continue;
    for (int mode = 0; mode < 4; ++mode) {
      std::vector<float> times;
      for (int i = 0; i < 9; ++i) {
        cudaEventRecord(a);
        for (int k = 0; k < 4; ++k) {
          char* base = memory + 4096 + shift;
          if (mode == 0) work<READ><<<blocks, 256>>>(base, pitch, rows, row_bytes, sink, units);
          if (mode == 1) work<WRITE><<<blocks, 256>>>(base, pitch, rows, row_bytes, sink, units);
          if (mode == 2) work<BOTH><<<blocks, 256>>>(base, pitch, rows, row_bytes, sink, units);
          if (mode == 3) work<BOTH_STREAM><<<blocks, 256>>>(base, pitch, rows, row_bytes, sink, units);
        }
        cudaEventRecord(b); cudaEventSynchronize(b); float ms; cudaEventElapsedTime(&ms, a, b); times.push_back(ms * 250);
      }
      std::sort(times.begin(), times.end());
      printf("%ld,%d,%d,%d,%s,%.1f\n", pitch, shift, blocks, units, names[mode], times[4]);
    }
  }
  CK(cudaGetLastError());
}
