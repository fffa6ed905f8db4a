// SPDX-License-Identifier: BSD-3-Clause
#include "comm/launcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace halocline::comm {
namespace {

using testing::HasSubstr;
using Kind = Launcher::Kind;

Launcher detect(const std::map<std::string, std::string>& variables) {
  return detect_launcher([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

constexpr auto open_mpi = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4";
constexpr auto mpich = "MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7";

TEST(Launcher, IsSeenFromTheEnvironment) {
  EXPECT_EQ(detect({}).kind, Kind::none);
  EXPECT_EQ(detect({{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "1"}}).kind, Kind::open_mpi);
  EXPECT_EQ(detect({{"OMPI_COMM_WORLD_SIZE", "4"}}).size, 4);
  EXPECT_EQ(detect({{"PMI_SIZE", "3"}, {"PMI_RANK", "0"}, {"MPI_LOCALNRANKS", "3"}}).kind, Kind::hydra);
  EXPECT_EQ(detect({{"PMI_SIZE", "3"}}).evidence, "PMI_SIZE=3");
  EXPECT_EQ(detect({{"MPI_LOCALNRANKS", "3"}}).kind, Kind::hydra);
  EXPECT_EQ(detect({{"PMIX_RANK", "0"}}).kind, Kind::pmix);
  // srun with its own PMI, with PMIx, and without either.
  EXPECT_EQ(detect({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"PMI_SIZE", "2"}}).kind, Kind::slurm);
  EXPECT_EQ(
      detect({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"PMIX_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "6"}}).size,
      6);
  EXPECT_EQ(detect({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "6"}}).kind, Kind::slurm);
  // Hydra within a Slurm job; a batch script; an interactive shell. The last two launch no ranks.
  EXPECT_EQ(detect({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "2"}}).kind,
            Kind::hydra);
  EXPECT_EQ(detect({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}).kind, Kind::none);
  EXPECT_EQ(detect({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}).kind, Kind::none);
}

TEST(Launcher, TheFirstProcessOfAJobHasRankZero) {
  const auto first = [](const std::map<std::string, std::string>& variables) {
    return first_of_job([&](const std::string& name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
  };
  EXPECT_TRUE(first({})) << "without a launcher";
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    EXPECT_TRUE(first({{name, "0"}})) << name;
    EXPECT_FALSE(first({{name, "3"}})) << name;
  }
  EXPECT_TRUE(first({{"OMPI_COMM_WORLD_RANK", "0"}, {"SLURM_PROCID", "1"}})) << "mpirun within a Slurm job";
}

TEST(Launcher, NumbersProcessesAsItsVariablesDo) {
  const auto number = [](const char* name, const char* value) {
    return number_in_job(
        [&](const std::string& asked) { return asked == name ? std::optional<std::string>(value) : std::nullopt; });
  };
  EXPECT_EQ(number("HOME", "/"), 0) << "without a launcher";
  EXPECT_EQ(number("OMPI_COMM_WORLD_RANK", "0"), 0);
  EXPECT_EQ(number("PMIX_RANK", "17"), 17);
  EXPECT_EQ(number("SLURM_PROCID", "-4"), 0);
  EXPECT_EQ(number("PMI_RANK", "none"), 0);
}

TEST(Launcher, OfAnotherMpiIsAnsweredWithWhatToDo) {
  const auto why = launcher_mismatch(detect({{"PMI_SIZE", "3"}}), open_mpi, "/opt/bin/mpirun");
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, HasSubstr("started by Hydra (MPICH's mpiexec) (PMI_SIZE=3), but this program was built with "
                              "Open MPI v4.1.4: start it with the mpirun of that MPI (/opt/bin/mpirun), or rebuild"));
  const auto other = launcher_mismatch(detect({{"OMPI_COMM_WORLD_SIZE", "2"}}), mpich, "");
  ASSERT_TRUE(other);
  EXPECT_THAT(*other,
              HasSubstr("started by Open MPI's mpirun (OMPI_COMM_WORLD_SIZE=2), but this program was built with "
                        "MPICH Version: 4.0.2: start it"));
}

TEST(Launcher, OfTheSameMpiOrOneThatServesBothIsFine) {
  EXPECT_FALSE(launcher_mismatch(detect({{"OMPI_COMM_WORLD_SIZE", "2"}}), open_mpi, ""));
  EXPECT_FALSE(launcher_mismatch(detect({{"PMI_SIZE", "2"}}), mpich, ""));
  EXPECT_FALSE(launcher_mismatch(detect({{"PMI_SIZE", "2"}}), "Intel(R) MPI Library 2021.8", ""));
  EXPECT_FALSE(launcher_mismatch(detect({{"PMIX_RANK", "2"}}), open_mpi, ""));
  EXPECT_FALSE(launcher_mismatch(detect({{"PMI_SIZE", "1"}}), open_mpi, "")) << "one process is right anyhow";
  EXPECT_FALSE(launcher_mismatch(detect({}), open_mpi, ""));
}

TEST(Launcher, ARankThatIsAloneInAJobOfSeveralIsNoticed) {
  const auto several = detect({{"OMPI_COMM_WORLD_SIZE", "4"}});
  const auto why = alone_in_world(several, 1, open_mpi, "/opt/bin/mpirun");
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, HasSubstr("as 4 processes (OMPI_COMM_WORLD_SIZE=4), but each is alone"));
  EXPECT_FALSE(alone_in_world(several, 4, open_mpi, ""));
  EXPECT_FALSE(alone_in_world(detect({{"OMPI_COMM_WORLD_SIZE", "1"}}), 1, open_mpi, ""));
  EXPECT_FALSE(alone_in_world(detect({}), 1, open_mpi, ""));
}

}  // namespace
}  // namespace halocline::comm
