// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/error.hpp"
#include "measure/detail/kernels.hpp"

namespace halocline::machine::measuring::cuda {
namespace {

[[noreturn]] void refuse() {
  throw CapabilityError("measuring with CUDA is not in this build: configure with -DHALOCLINE_CUDA=ON");
}

}  // namespace

void copy_by_kernel(int, device::Stream&, std::byte*, const std::byte*, std::size_t) { refuse(); }
Result pageable(int, std::byte*, std::byte*, std::size_t, int) { refuse(); }
Result managed(int, std::byte*, std::size_t, int, Managed) { refuse(); }
Result managed_between(int, std::byte*, int, std::byte*, std::size_t, int, Managed) { refuse(); }
Result copy_without_peer(const PeerCopy&, const PeerCopy&, std::size_t, int, bool) { refuse(); }
void ping_pong(int, device::Stream&, std::uint64_t*, std::uint64_t*, bool, int, std::uint64_t, std::uint64_t*) {
  refuse();
}

}  // namespace halocline::machine::measuring::cuda
