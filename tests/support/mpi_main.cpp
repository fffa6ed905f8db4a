// SPDX-License-Identifier: BSD-3-Clause
// main() of a test program whose cases run on all ranks together. A failure on any rank fails the program on all ranks.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <string>

#include "comm/gather.hpp"
#include "halocline/session.hpp"
#include "support/mpi_world.hpp"

namespace halocline::test {
namespace {

comm::RankGroup* the_world = nullptr;

/// The output of ranks above 0: failures only.
class FailurePrinter final : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(std::int64_t rank) : rank_(rank) {}
  void OnTestStart(const testing::TestInfo& test) override { test_ = test.name(); }
  /// GoogleTest holds its lock here, so the case's name cannot be queried.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "[rank %lld] %s: %s:%d: %s\n", static_cast<long long>(rank_), test_.c_str(),
                 result.file_name() == nullptr ? "?" : result.file_name(), result.line_number(), result.message());
  }

 private:
  std::int64_t rank_;
  std::string test_ = "outside of a case";
};

int run(comm::RankGroup& world) {
  if (world.rank().value() != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter(world.rank().value()));
  }
  const std::int64_t failed = RUN_ALL_TESTS() == 0 ? 0 : 1;
  const auto ran = static_cast<std::int64_t>(testing::UnitTest::GetInstance()->test_to_run_count());
  const auto failures = comm::gather_value(world, failed);
  const auto counts = comm::gather_value(world, ran);
  bool good = true;
  for (std::size_t rank = 0; rank < failures.size(); ++rank) {
    const bool same = counts[rank] == counts[0] && counts[rank] > 0;
    if (failures[rank] == 0 && same) continue;
    good = false;
    if (world.rank().value() == 0) {
      std::fprintf(stderr, "rank %zu: %s after %lld cases\n", rank, same ? "failed" : "wrong number of cases",
                   static_cast<long long>(counts[rank]));
    }
  }
  return good ? 0 : 1;
}

}  // namespace

comm::RankGroup& mpi_world() { return *the_world; }

}  // namespace halocline::test

int main(int argc, char** argv) {
  using namespace halocline;
  testing::InitGoogleTest(&argc, argv);
  int verdict = 1;
  try {
    comm::Session session(&argc, &argv, Environment::read());
    try {
      test::the_world = &static_cast<comm::RankGroup&>(session.world());
      verdict = test::run(session.world());
      // Cases poison communicators on purpose, and a Session then skips MPI_Finalize; here all ranks are known to be
      // alive.
      session.world().close();
      int finalised = 0;
      if (session.world().backend() == comm::CommBackend::mpi && MPI_Finalized(&finalised) == MPI_SUCCESS &&
          finalised == 0) {
        MPI_Finalize();
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "the ranks could not agree on a verdict: %s\n", error.what());
      session.abort(1);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return verdict;
}
