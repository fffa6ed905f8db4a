// SPDX-License-Identifier: BSD-3-Clause
// Kernels are loaded before any kernel spins. With CUDA's lazy loading, the first launch of a kernel loads it, and that
// may wait for all running kernels: a deadlock if one of them waits for the kernel to be loaded.
#include "device/fused_exchange.hpp"
#include "gpu/again.hpp"
#include "gpu/device/gpus.hpp"

namespace halocline::device::test {
namespace {

using GpuLazyLoading = OneGpu;

/// In a new process, where no kernel has run: one kernel waits for a flag, which is signalled after one kernel of each
/// other kind.
TEST_F(GpuLazyLoading, DISABLED_InAProcessOfItsOwn) {
  const auto memory = backend->allocate_shareable(0, sizeof(FlagPage));
  FlagPage& at = page(*memory);
  const auto cells = backend->allocate_shareable(0, 4096);
  const StridedCopy strided{cells->data(), cells->data() + 2048, {4, 16, 64}, {4, 32, 128}, {2, 2, 2}, 4};
  const StridedCopy copies[] = {strided};
  const auto list = backend->prepare(0, copies);
  FusedPlan plan;
  plan.local = {strided};
  const auto exchange = backend->fuse(0, plan);
  const CounterCheck check{&at.epoch, 1, 0, "never"};
  const FlagWait wait{&at.flags[0], 7, guard("spinning", std::chrono::seconds(10)), nullptr};
  const FlagSignal signal{&at.flags[0], 7};
  const auto spinning = backend->create_stream(0);
  const auto other = backend->create_stream(0);

  other->advance(&at.epoch);
  other->synchronize();
  spinning->wait(&at.epoch, {&wait, 1});
  other->copy(strided);
  other->copy(*list);
  other->run(*exchange);
  other->expect({&check, 1});
  other->signal(&at.epoch, {&signal, 1});
  other->synchronize();
  spinning->synchronize();
}

TEST_F(GpuLazyLoading, NoKernelIsLoadedUnderASpinningOne) {
  const auto run = halocline::test::run_again("CUDA_MODULE_LOADING=LAZY", "GpuLazyLoading.DISABLED_InAProcessOfItsOwn");
  EXPECT_TRUE(run.passed) << run.output;
}

}  // namespace
}  // namespace halocline::device::test
