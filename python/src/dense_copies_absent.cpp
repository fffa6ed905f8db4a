// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/error.hpp>

#include "dense_copies.hpp"

namespace halocline::python {

std::unique_ptr<DenseCopies> gpu_copies(CUstream_st* /*stream*/) {
  throw InternalError("copies on a GPU in a build without CUDA");
}

}  // namespace halocline::python
