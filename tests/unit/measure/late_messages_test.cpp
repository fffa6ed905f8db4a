// SPDX-License-Identifier: BSD-3-Clause
// Messages of measurements that are not there in time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "comm/local_ranks.hpp"
#include "halocline/error.hpp"
#include "measure/detail/messages.hpp"
#include "measure/detail/stages.hpp"
#include "measure/measure.hpp"
#include "support/error_of.hpp"
#include "support/forwarding_communicator.hpp"

namespace halocline::machine {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// MPI may still read from it and write into it.
TEST(LateMessage, ItsMemoryIsNotFreed) {
  const auto alone = comm::serial();
  test::ForwardingCommunicator comm(*alone);
  comm.hold_messages = true;
  comm.set_timeout(20ms);
  auto memory = std::make_shared<std::vector<std::byte>>(64);
  const std::weak_ptr<void> kept = memory;
  {
    const measuring::Message message{rank_id(0), rank_id(0), 1, memory->data(), memory->data(), {}, {}, memory};
    memory.reset();
    EXPECT_THROW(measuring::pass(comm, {&message, 1}, 8), DeadlineError);
  }
  EXPECT_FALSE(kept.expired());
  EXPECT_TRUE(comm.poisoned());
}

/// Sends of the rank's groups fail.
class NoSends final : public test::ForwardingCommunicator {
 public:
  using ForwardingCommunicator::ForwardingCommunicator;
  [[nodiscard]] std::unique_ptr<comm::RankGroup> split(int colour, int key) override {
    inner_group_ = inner().split(colour, key);
    auto made = std::make_unique<test::ForwardingCommunicator>(*inner_group_);
    made->fail_to_send = true;
    return made;
  }

 private:
  std::unique_ptr<comm::RankGroup> inner_group_;
};

/// Of four nodes two pairs are measured at the same time.
TEST(LateMessage, AFailureOfOnePairIsTheErrorOfAllRanks) {
  std::vector<std::string> errors(4);
  comm::run_as_threads(4, [&](comm::RankGroup& comm) {
    NoSends spoiled(comm);
    comm::RankGroup& mine = comm.rank() == rank_id(0) ? spoiled : comm;
    mine.set_timeout(2s);
    errors[comm.rank().index()] = test::error_of<Error>([&] {
      static_cast<void>(measuring::measure_network(mine, {rank_id(0), rank_id(1), rank_id(2), rank_id(3)}, {}));
    });
  });
  for (const std::string& error : errors) EXPECT_THAT(error, HasSubstr("rank 0: planted"));
}

}  // namespace
}  // namespace halocline::machine
