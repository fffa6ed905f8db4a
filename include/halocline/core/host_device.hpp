#pragma once

/// Marks what kernels may call as well as the host. The one place in Halocline that asks which compiler reads it, because
/// a user's kernel includes these headers through a GPU compiler and a user's main() through another.
#if defined(__CUDACC__)
#define HALOCLINE_HOST_DEVICE __host__ __device__
#else
#define HALOCLINE_HOST_DEVICE
#endif
