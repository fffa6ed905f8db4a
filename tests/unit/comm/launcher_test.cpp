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

TEST(Launcher, HasANameForPeople) {
  EXPECT_EQ(to_string(Kind::none), "no launcher");
  EXPECT_EQ(to_string(Kind::open_mpi), "Open MPI's mpirun");
  EXPECT_EQ(to_string(Kind::hydra), "Hydra (MPICH's mpiexec)");
  EXPECT_EQ(to_string(Kind::pmix), "a PMIx launcher");
  EXPECT_EQ(to_string(Kind::slurm), "Slurm's srun");
  EXPECT_EQ(to_string(static_cast<Kind>(9)), "unknown");
}

TEST(Launcher, ARankThatIsAloneReadsWhatStartedItAndWhatToDo) {
  const Launcher srun{Kind::slurm, 6, "SLURM_STEP_NUM_TASKS=6"};
  EXPECT_EQ(
      alone_in_world(srun, 1, "MPICH Version:\t4.0.2\nmore", "/opt/mpiexec"),
      "started by Slurm's srun as 6 processes (SLURM_STEP_NUM_TASKS=6), but each is alone in its MPI world; this "
      "program was built with MPICH Version: 4.0.2: start it with the mpirun of that MPI (/opt/mpiexec), or rebuild "
      "it with the MPI of the launcher, or set HALOCLINE_COMM=serial to run each process on its own");
  EXPECT_EQ(alone_in_world(srun, 6, mpich, ""), std::nullopt);
  EXPECT_THAT(alone_in_world(srun, 1, "", "").value_or(""),
              HasSubstr("built with an unknown MPI: start it with the mpirun of that MPI, or"));
}

TEST(Launcher, OfOpenMpiDoesNotServeThoseThatSpeakPmi) {
  const Launcher mpirun{Kind::open_mpi, 4, "OMPI_COMM_WORLD_SIZE=4"};
  for (const char* library :
       {"MPICH Version: 4", "Intel(R) MPI Library 2021", "MVAPICH2 2.3", "MPI VERSION: CRAY MPICH 8"}) {
    EXPECT_THAT(launcher_mismatch(mpirun, library, "").value_or("(none)"),
                HasSubstr("started by Open MPI's mpirun (OMPI_COMM_WORLD_SIZE=4), but this program was built with "))
        << library;
  }
  EXPECT_EQ(launcher_mismatch(mpirun, "Another MPI 1.0", ""), std::nullopt) << "nothing is known of it";
  EXPECT_EQ(launcher_mismatch({Kind::open_mpi, 1, "OMPI_COMM_WORLD_SIZE=1"}, mpich, ""), std::nullopt) << "one process";
}

TEST(Launcher, ThatSetsSeveralVariablesIsTheFirstOfThem) {
  EXPECT_EQ(detect({{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMI_SIZE", "2"}}).evidence, "OMPI_COMM_WORLD_SIZE=4");
  EXPECT_EQ(detect({{"PMI_SIZE", "2"}, {"PMIX_RANK", "1"}}).kind, Kind::hydra);
  EXPECT_EQ(detect({{"PMI_SIZE", "many"}}).size, detect({{"MPI_LOCALNRANKS", "2"}}).size) << "not known";
  EXPECT_EQ(detect({{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "6"}}).kind, Kind::none);
  EXPECT_EQ(detect({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}}).kind, Kind::none) << "a step of one task";
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
