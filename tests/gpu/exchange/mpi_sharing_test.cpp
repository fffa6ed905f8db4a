// SPDX-License-Identifier: BSD-3-Clause
// Two processes that may share one GPU: arrays of the user's in every kind of memory, several domains at a time, and a rank that
// closes its domain after a failure while the other still has stores into it under way.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>

#include <thread>
#include <utility>

#include "gpu/exchange/several_domains.hpp"
#include "gpu/exchange/user_memory.hpp"
#include "support/error_of.hpp"
#include "support/mpi_world.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;
using routing::Transport;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

/// In the body of a test: ends it as skipped, by name, on all ranks.
#define HALOCLINE_NEEDS_TWO_PROCESSES()                                                       \
  HALOCLINE_NEEDS_GPUS(1);                                                                    \
  if (mpi_world().size() != 2) GTEST_SKIP() << "for 2 ranks, not for " << mpi_world().size(); \
  static_assert(true)

class MpiGpuUserMemory : public UserMemoryCase {};

TEST_F(MpiGpuUserMemory, OfEachKindIsExchangedBetweenProcesses) {
  HALOCLINE_NEEDS_TWO_PROCESSES();
  for (const Transport transport : {Transport::ipc_copy, Transport::mpi_staged}) {
    for (const From from : {From::device, From::pool, From::mapped, From::managed, From::pinned, From::exportable_pool,
                            From::exportable_mapped}) {
      if (!have(from)) continue;
      plan(mpi_world(), from, 1, {Transport::self, transport});
      domain->realize();
      EXPECT_THAT(reason(), HasSubstr(std::string(to_string(transport)) + ": same node, other process"));
      expect_exchanged();
      TearDown();
      domain.reset();
    }
  }
}

class MpiGpuExportedMemory : public UserMemoryCase, public testing::WithParamInterface<From> {};

/// By the default policy, twice: a second domain maps what the first has unmapped.
TEST_P(MpiGpuExportedMemory, IsStoredToByOtherProcesses) {
  HALOCLINE_NEEDS_TWO_PROCESSES();
  if (!have(GetParam())) GTEST_SKIP() << "GPUs without memory of this kind";
  tuning.packets_at_most_bytes = 0;  // cells are stored where they belong
  for (int again = 0; again < 2; ++again) {
    plan(mpi_world(), GetParam(), 1);
    domain->realize();
    if (gpu_count() == 1) {
      EXPECT_THAT(reason(), HasSubstr("direct not possible (two processes share the device)"));
    } else {
      // Ranks may not trace each other where kernel.yama.ptrace_scope is 1.
      EXPECT_THAT(reason(), AnyOf(AllOf(HasSubstr("direct: "), Not(HasSubstr("receive buffer"))),
                                  HasSubstr("pidfd_getfd: Operation not permitted")));
    }
    expect_exchanged();
    TearDown();
    domain.reset();
  }
}
INSTANTIATE_TEST_SUITE_P(from, MpiGpuExportedMemory,
                         testing::Values(From::device, From::exportable_pool, From::exportable_mapped),
                         [](const auto& param) {
                           return param.param == From::device            ? "device"
                                  : param.param == From::exportable_pool ? "pool"
                                                                         : "mapped";
                         });

TEST_F(MpiGpuUserMemory, WithoutHandlesIsFilledThroughAReceiveBuffer) {
  HALOCLINE_NEEDS_TWO_PROCESSES();
  HALOCLINE_NEEDS_GPUS(2);
  const std::pair<From, const char*> reasons[] = {
      {From::pool, "allowed are memory pools with the handle type cudaMemHandleTypePosixFileDescriptor"},
      {From::mapped, "it was created without handles for other processes"},
      {From::managed, "it is managed memory (cudaMallocManaged)"},
      {From::pinned, "it is pinned memory of the host"}};
  for (const auto& [from, why] : reasons) {
    if (!have(from)) continue;
    plan(mpi_world(), from, 1);
    domain->realize();
    EXPECT_THAT(reason(), AllOf(HasSubstr("through a receive buffer: the receiver's arrays cannot be exported: field "
                                          "'u' is the user's own array, which others cannot map: "),
                                HasSubstr(why)));
    expect_exchanged();
    TearDown();
    domain.reset();
  }
}

class MpiGpuSeveralDomains : public testing::TestWithParam<int> {};

TEST_P(MpiGpuSeveralDomains, AreExchangedInOppositeOrders) {
  HALOCLINE_NEEDS_TWO_PROCESSES();
  for (const int in_a_row : {1, 2}) {
    exchange_in_opposite_orders(mpi_world(), GetParam(), in_a_row, Transport::ipc_copy);
  }
}
INSTANTIATE_TEST_SUITE_P(domains, MpiGpuSeveralDomains, testing::Values(2, 3),
                         [](const auto& param) { return std::to_string(param.param) + "_domains"; });

/// Bytes of the GPU that are free, for all its processes.
std::int64_t free_bytes() {
  std::size_t free = 0;
  std::size_t all = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &all), cudaSuccess);
  return static_cast<std::int64_t>(free);
}

DomainOptions options_by(Transport transport, Duration timeout) {
  DomainOptions options;
  options.devices.existing.emplace(gpus_of_rank(static_cast<int>(mpi_world().rank().value()), 1));
  options.routing.policy.order = {Transport::self, transport};
  options.tuning.packets_at_most_bytes = 0;  // cells are stored where they belong
  options.tuning.domains_at_once = 8;        // domains of earlier cases that were not closed keep their part of a GPU
  options.timeout = timeout;
  return options;
}

/// Exchanges between two processes after one of them has left an earlier domain.
class MpiGpuAfterAFailure : public testing::TestWithParam<Transport> {
 protected:
  void SetUp() override {
    HALOCLINE_NEEDS_TWO_PROCESSES();
    if (GetParam() != Transport::direct) return;
    HALOCLINE_NEEDS_GPUS(2);
    if (const std::string why = without_peer_access(); !why.empty()) GTEST_SKIP() << why;
  }
  /// Both ranks, and the GPU, go on.
  static void expect_to_go_on() {
    Domain domain({32, 32, 64}, Stencil::box(2), mpi_world(), options_by(GetParam(), 20s));
    domain.add_field<double>("u");
    domain.realize();
    for (int step = 0; step < 3; ++step) domain.exchange();
    domain.synchronize();
    domain.close();
  }
};

/// Rank 1 gives up waiting and closes its domain; rank 0, which was late, stores into its memory afterwards.
TEST_P(MpiGpuAfterAFailure, CloseFreesNothingThatOthersStillWriteInto) {
  comm::RankGroup& world = mpi_world();
  constexpr std::int64_t cells = 256;
  const bool late = world.rank() == rank_id(0);
  ASSERT_EQ(cudaSetDevice(late ? 0 : 1 % gpu_count()), cudaSuccess);
  {
    // Of a group of its own, which is unusable afterwards.
    const auto ranks = world.split(0, static_cast<int>(world.rank().value()));
    Domain domain(Vec3::filled(cells), Stencil::box(2), *ranks, options_by(GetParam(), 5s));
    domain.add_field<double>("u");
    domain.realize();
    domain.exchange();
    domain.synchronize();
    const std::int64_t before = free_bytes();
    world.barrier();
    if (late) {
      domain.subdomains()[0].stream().host_function([] { std::this_thread::sleep_for(9s); });
      EXPECT_THROW(
          {
            domain.exchange();
            domain.synchronize();
            domain.exchange();
          },
          Error);
    } else {
      EXPECT_THAT(error_of<DeadlineError>([&] {
                    domain.exchange();
                    domain.synchronize();
                  }),
                  HasSubstr(std::string(to_string(GetParam()))));
      domain.close();
      const std::int64_t arrays = cells * cells * cells / 2 * static_cast<std::int64_t>(sizeof(double));
      EXPECT_LT(free_bytes() - before, arrays / 2) << "nothing was given back";
    }
    world.barrier();  // the late stores are over
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "no store went where there is no memory";
    if (late) domain.close();
  }
  expect_to_go_on();
}

/// Rank 1 destroys its domain while its own exchange waits for rank 0, which has not started it.
TEST_P(MpiGpuAfterAFailure, ARankIsNotHeldUpByAnExchangeOfItsOwn) {
  comm::RankGroup& world = mpi_world();
  {
    const auto ranks = world.split(0, static_cast<int>(world.rank().value()));
    auto domain = std::make_unique<Domain>(Vec3{64, 64, 128}, Stencil::box(2), *ranks, options_by(GetParam(), 30s));
    domain->add_field<double>("u");
    domain->realize();
    domain->exchange();
    domain->synchronize();
    world.barrier();
    if (world.rank() == rank_id(1)) {
      static_cast<void>(domain->start_exchange());
      std::this_thread::sleep_for(200ms);  // by now it waits
      const auto begun = std::chrono::steady_clock::now();
      domain.reset();
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      EXPECT_LT(std::chrono::steady_clock::now() - begun, 5s);
    }
    world.barrier();
    if (world.rank() == rank_id(0)) {
      EXPECT_THAT(error_of<CommunicationError>([&] {
                    domain->exchange();
                    domain->synchronize();
                  }),
                  HasSubstr("rank 1 left without close()"));
      domain->close();
    }
  }
  expect_to_go_on();
}
INSTANTIATE_TEST_SUITE_P(transports, MpiGpuAfterAFailure, testing::Values(Transport::ipc_copy, Transport::direct),
                         [](const auto& param) { return std::string(to_string(param.param)); });

}  // namespace
}  // namespace halocline::test
