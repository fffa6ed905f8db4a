// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/error.hpp"
#include "slow_paths/slow_paths.hpp"

namespace halocline::bench {

void update_on_gpu(const Subdomain&, Field<float>, const Box&) {
  throw CapabilityError("this build has no kernels for GPUs");
}

}  // namespace halocline::bench
