// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

#include "comm/agree.hpp"
#include "comm/rank_group.hpp"
#include "comm/requests.hpp"
#include "core/clock.hpp"
#include "support/bytes.hpp"

// The contract of every RankGroup. Programs instantiate the suite with their backends.
namespace halocline::test {

struct CommBackend {
  std::string name;
  /// Runs a body on each rank with a new RankGroup of all ranks.
  std::function<void(const std::function<void(comm::RankGroup&)>&)> run;
};
inline void PrintTo(const CommBackend& backend, std::ostream* out) { *out << backend.name; }

class CommContract : public testing::TestWithParam<CommBackend> {
 protected:
  using Body = std::function<void(comm::RankGroup&)>;
  void on_ranks(const Body& body) { GetParam().run(body); }
};

/// Waits within the communicator's timeout.
inline void finish(comm::RankGroup& comm, comm::Request& request) {
  comm::wait_until([&] { return request.test(); }, Deadline(comm.clock(), comm.timeout()), "a message of a test");
}
inline void finish(comm::RankGroup& comm, comm::PersistentRequest& request) {
  comm::wait_until([&] { return request.test(); }, Deadline(comm.clock(), comm.timeout()), "a message of a test");
}

[[nodiscard]] inline rank_id next(const comm::RankGroup& comm) {
  return rank_id((comm.rank().value() + 1) % comm.size());
}
[[nodiscard]] inline rank_id previous(const comm::RankGroup& comm) {
  return rank_id((comm.rank().value() + comm.size() - 1) % comm.size());
}

/// The message of the E that step throws; the test fails if it throws another error or none.
template <typename E, typename Step>
std::string message_of(Step&& step) {
  try {
    step();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return {};
  }
  ADD_FAILURE() << "no exception";
  return {};
}

}  // namespace halocline::test
