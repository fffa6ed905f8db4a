// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "comm/detail/runtime.hpp"
#include "core/removed_file.hpp"
#include "halocline/session.hpp"
#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"

// This program is started without a launcher; tests/mpi covers a Session under a launcher.
namespace halocline::comm {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const Environment& environment) {
  return test::error_of<CapabilityError>([&] { Session session(nullptr, nullptr, environment); });
}

TEST(Session, WithoutALauncherIsOneRankWithoutMpi) {
  Environment environment;
  environment.timeout = std::chrono::seconds(7);
  Session session(nullptr, nullptr, environment);
  EXPECT_EQ(session.world().backend(), CommBackend::serial);
  EXPECT_EQ(session.world().size(), 1);
  EXPECT_EQ(session.world().timeout(), std::chrono::seconds(7));
  EXPECT_FALSE(runtime::active());
}

TEST(Session, RefusesALauncherItCannotServeBeforeAnyMpiCall) {
  ::setenv("PMI_SIZE", "4", 1);
  const std::string message = refusal({});
  Environment alone;
  alone.comm = "serial";
  EXPECT_EQ(Session(nullptr, nullptr, alone).world().size(), 1) << "unless told to";
  ::unsetenv("PMI_SIZE");
  EXPECT_FALSE(runtime::active());
  if (!runtime::built()) {
    EXPECT_THAT(message, AllOf(HasSubstr("4 processes (PMI_SIZE=4)"), HasSubstr("HALOCLINE_MPI=ON")));
  } else if (runtime::library().find("Open MPI") != std::string::npos) {
    EXPECT_THAT(message, AllOf(HasSubstr("started by Hydra"), HasSubstr("built with Open MPI"), HasSubstr("mpirun")));
  }
}

TEST(Session, AskingForMpiWhereItIsNotBuiltInSaysHowToGetIt) {
  if (runtime::built()) GTEST_SKIP() << "MPI is built in";
  Environment environment;
  environment.comm = "mpi";
  EXPECT_THAT(refusal(environment), HasSubstr("HALOCLINE_MPI=ON"));
}

TEST(Session, AbortRemovesTheTemporaryFilesOfTheProcess) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "half").string();
  std::ofstream(path) << "half of it";
  EXPECT_EXIT(
      {
        Session session(nullptr, nullptr, Environment{});
        const RemovedFile file(path);
        session.abort(3);
      },
      testing::ExitedWithCode(3), "");
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace halocline::comm
