// SPDX-License-Identifier: BSD-3-Clause
// User arrays in every kind of memory: exchanged correctly by the route that the reason names, or refused.
#include "gpu/exchange/user_memory.hpp"

#include "comm/local_ranks.hpp"
#include "support/error_of.hpp"

namespace halocline::test {
namespace {

using testing::HasSubstr;

class GpuUserMemory : public UserMemoryCase {
 protected:
  void plan(From from, int devices, bool shifted = false) { UserMemoryCase::plan(*alone_, from, devices, {}, shifted); }

 private:
  std::unique_ptr<comm::RankGroup> alone_ = comm::serial();
};

TEST_F(GpuUserMemory, OfTheDeviceIsExchanged) {
  HALOCLINE_NEEDS_GPUS(1);
  for (const From from : {From::device, From::pool, From::mapped, From::managed, From::pinned, From::exportable_pool,
                          From::exportable_mapped}) {
    if (!have(from)) continue;
    plan(from, 1);
    domain->realize();
    expect_exchanged();
    TearDown();
    domain.reset();
  }
}

TEST_F(GpuUserMemory, OfPlainAllocationsIsStoredToByOtherGpus) {
  HALOCLINE_NEEDS_GPUS(2);
  plan(From::device, 2);
  domain->realize();
  const Verdict access = internals(*domain).backend().peer_access(0, 1);
  if (!access.yes) GTEST_SKIP() << "no peer access: " << access.why_not;
  EXPECT_THAT(reason(), HasSubstr("direct: same process, peer access yes"));
  expect_exchanged();
}

TEST_F(GpuUserMemory, ThatPeerAccessDoesNotCoverIsFilledThroughAReceiveBuffer) {
  HALOCLINE_NEEDS_GPUS(2);
  for (const From from :
       {From::pool, From::mapped, From::managed, From::pinned, From::exportable_pool, From::exportable_mapped}) {
    if (!have(from)) continue;
    plan(from, 2);
    domain->realize();
    const Verdict access = internals(*domain).backend().peer_access(0, 1);
    if (!access.yes) GTEST_SKIP() << "no peer access: " << access.why_not;
    EXPECT_THAT(reason(), HasSubstr("direct: same process, peer access yes; through a receive buffer: other devices do "
                                    "not store to the receiver's arrays: field 'u' is in "));
    expect_exchanged();
    TearDown();
    domain.reset();
  }
}

TEST_F(GpuUserMemory, OfTheHostIsRefused) {
  HALOCLINE_NEEDS_GPUS(1);
  plan(From::malloc, 1);
  EXPECT_THAT(
      error_of<InvalidArgument>([&] { domain->realize(); }),
      HasSubstr("array of field 'u' of subdomain 0 begins in memory of the host that CUDA does not know (malloc); "
                "allowed are memory of device 0 ("));
}

TEST_F(GpuUserMemory, OfAnotherGpuIsRefused) {
  HALOCLINE_NEEDS_GPUS(2);
  for (const From from : {From::device, From::pool, From::mapped}) {
    plan(from, 2, true);
    EXPECT_THAT(error_of<InvalidArgument>([&] { domain->realize(); }),
                HasSubstr("of device 1; allowed are memory of device 0 ("));
    domain.reset();
    memory.clear();
  }
}

/// One rank of several that are threads of this process.
struct OfOneThread : UserMemoryCase {
  void TestBody() override {}
  void expect_exchanged_from(comm::RankGroup& ranks, From from) {
    tuning.packets_at_most_bytes = 0;  // cells are stored where they belong
    plan(ranks, from, 1);
    domain->realize();
    if (from == From::exportable_pool) {
      EXPECT_THAT(reason(), HasSubstr("it is of a memory pool of this process, which peer access does not cover"));
    } else {
      EXPECT_THAT(reason(), testing::Not(HasSubstr("receive buffer")));
    }
    expect_exchanged();
    TearDown();
  }
};

/// Virtual memory is mapped once more, because its access rights are the user's.
TEST_F(GpuUserMemory, OfAnotherThreadsRankIsStoredToWhereItCanBeMapped) {
  HALOCLINE_NEEDS_GPUS(2);
  if (const std::string why = without_peer_access(); !why.empty()) GTEST_SKIP() << why;
  for (const From from : {From::device, From::exportable_mapped, From::exportable_pool}) {
    if (!have(from)) continue;
    comm::run_as_threads(2, [&](comm::RankGroup& ranks) { OfOneThread().expect_exchanged_from(ranks, from); });
  }
}

}  // namespace
}  // namespace halocline::test
