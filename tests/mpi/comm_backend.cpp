// SPDX-License-Identifier: BSD-3-Clause
#include "contract/comm/comm_contract.hpp"
#include "halocline/mpi.hpp"
#include "support/mpi_world.hpp"

// The contract suite on MPI: all ranks of the program take part in each case.
namespace halocline::test {
namespace {

CommBackend mpi_backend() {
  return {"mpi", [](const auto& body) {
            const auto comm = comm::from_mpi(MPI_COMM_WORLD, std::chrono::seconds(20)).release();
            EXPECT_EQ(comm->backend(), comm::CommBackend::mpi);
            body(*comm);
            comm->close();
          }};
}

INSTANTIATE_TEST_SUITE_P(Mpi, CommContract, testing::Values(mpi_backend()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace halocline::test
