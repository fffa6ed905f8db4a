// SPDX-License-Identifier: BSD-3-Clause
#include "comm/local_ranks.hpp"
#include "contract/comm/comm_contract.hpp"
#include "halocline/session.hpp"

// The contract suite on the serial backend and on ranks as threads.
namespace halocline::test {
namespace {

CommBackend serial_backend() {
  return {"serial", [](const auto& body) {
            const auto comm = comm::serial();
            comm->set_timeout(std::chrono::seconds(20));
            EXPECT_EQ(comm->backend(), comm::CommBackend::serial);
            body(*comm);
            comm->close();
          }};
}

CommBackend threads_backend(int ranks) {
  return {"threads" + std::to_string(ranks), [ranks](const auto& body) {
            comm::ThreadsOptions options;
            options.timeout = std::chrono::seconds(20);
            comm::run_as_threads(
                ranks,
                [&](comm::RankGroup& comm) {
                  EXPECT_EQ(comm.backend(), comm::CommBackend::threads);
                  EXPECT_EQ(comm.size(), ranks);
                  body(comm);
                  comm.close();
                },
                options);
          }};
}

INSTANTIATE_TEST_SUITE_P(Local, CommContract,
                         testing::Values(serial_backend(), threads_backend(1), threads_backend(2), threads_backend(3),
                                         threads_backend(4), threads_backend(8)),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace halocline::test
