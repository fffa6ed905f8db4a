// SPDX-License-Identifier: BSD-3-Clause
#include "layering/layering.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "layering/table.hpp"

namespace halocline::layering {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(Layering, TheTreeFollowsItsTable) {
  const Report report = check(HC_SOURCE_DIR);
  for (const auto& violation : report.violations) ADD_FAILURE() << to_string(violation);
  // A check that reads no files would find nothing.
  EXPECT_GT(report.files, 100u);
  EXPECT_GT(report.includes, 500u);
}

constexpr auto licence = "// SPDX-License-Identifier: BSD-3-Clause\n";

/// A small tree that follows the rules; each test plants one violation.
class Planted : public testing::Test {
 protected:
  Planted() {
    std::string pattern = (fs::temp_directory_path() / "halocline_layering_XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    write("src/LAYERS",
          "# a comment\ncore: | fmt/ unistd.h\ncomm: core | mpi.h\nexchange: core comm |\n"
          "user core: box.hpp error.hpp view.hpp\nuser comm: mpi.hpp communicator.hpp\n"
          "only src/core/gpu/* *.cu *.cuh: cuda.h cuda/\nonly src/core/loader_*.cpp: dlfcn.h\n");
    write("include/halocline/halocline.hpp", "#include \"halocline/box.hpp\"\n");
    write("include/halocline/box.hpp", "#include <vector>\n");
    write("include/halocline/view.hpp",
          "#if defined(__CUDACC__)\n#endif\n#if defined(HALOCLINE_CHECK_BOUNDS)\n#endif\n");
    write("include/halocline/error.hpp", "#include \"halocline/box.hpp\"\n");
    write("include/halocline/mpi.hpp", "#include <mpi.h>\n#include \"halocline/box.hpp\"\n");
    write("include/halocline/communicator.hpp", "#include <span>\n");
    write("src/core/box.cpp",
          "#include \"halocline/box.hpp\"\n#include <fmt/core.h>\n#include \"core/detail/inner.hpp\"\n");
    write("src/core/hash.hpp", "#include \"halocline/box.hpp\"\n");
    write("src/comm/reduce.cpp", "#include \"core/hash.hpp\"\n");
    write("src/core/detail/inner.hpp", "#if defined(__linux__)\n#include <unistd.h>\n#endif\n");
    write("src/exchange/transport/endpoint.hpp", "");
    write("src/exchange/transport/self.hpp", "#include \"exchange/transport/endpoint.hpp\"\n");
    write("src/exchange/transport/self.cpp", "#include \"exchange/transport/self.hpp\"\n");
    write("src/exchange/transport/direct/flags.hpp", "");
    write("src/exchange/transport/direct/direct.cpp", "#include \"exchange/transport/direct/flags.hpp\"\n");
    write("src/exchange/transport/staged.cpp", "#include \"exchange/transport/factory.hpp\"\n");
    write("src/exchange/transport/factory.hpp", "");
    write("src/exchange/transport/factory.cpp", "#include \"exchange/transport/self.hpp\"\n");
    write("cli/main.cpp",
          "#include \"halocline/box.hpp\"\n#include \"core/hash.hpp\"\n#include \"cli/table.hpp\"\n#include "
          "<CLI/CLI.hpp>\n");
    write("cli/table.hpp", "");
    write("apps/heat/command.cpp", "#include \"cli/table.hpp\"\n");
    write("src/core/gpu/a.cpp", "#include <cuda.h>\n");
    write("src/exchange/kernels.cu", "#include <cuda.h>\n#include <cuda/atomic>\n");
    write("src/core/loader_a.cpp", "#include <dlfcn.h>\n");
    write("examples/hello.cpp", "#include <halocline/halocline.hpp>\n");
    write("tests/install/consumer/a.cpp", "#include <halocline/box.hpp>\n");
    write("bench/lanes.cuh", "#include <cuda/atomic>\n");
  }
  ~Planted() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << (path == "src/LAYERS" ? "" : licence) << text;
  }
  /// Plants a file, and expects exactly one violation, in that file.
  void expect_one(const std::string& path, const std::string& text, const std::string& what) const {
    write(path, text);
    const Report report = check(root_);
    ASSERT_EQ(report.violations.size(), 1u);
    EXPECT_EQ(report.violations[0].file, path);
    EXPECT_THAT(report.violations[0].what, HasSubstr(what));
  }
  fs::path root_;
};

TEST_F(Planted, NothingIsFoundWhereNothingIsWrong) {
  const Report report = check(root_);
  for (const auto& violation : report.violations) ADD_FAILURE() << to_string(violation);
  EXPECT_EQ(report.files, 27u);
}

TEST_F(Planted, SolverOfAnApplicationThatKnowsTheTool) {
  expect_one("apps/heat/solver.cpp", "#include \"cli/table.hpp\"\n",
             "neither a header of the library nor a file of this folder");
}
TEST_F(Planted, UpwardInclude) {
  expect_one("src/core/a.cpp", "\n#include \"halocline/communicator.hpp\"\n", "core may not include");
}
TEST_F(Planted, UpwardIncludeInAngles) {
  expect_one("include/halocline/error.hpp", "  #  include <halocline/communicator.hpp>\n", "core may not include");
}
TEST_F(Planted, ForeignHeader) {
  expect_one("src/exchange/a.cpp", "#include <hwloc.h>\n", "exchange may not include <hwloc.h>");
}
TEST_F(Planted, MpiOutsideComm) { expect_one("src/exchange/a.cpp", "#include <mpi.h>\n", "<mpi.h>"); }
TEST_F(Planted, MpiInAnotherInstalledHeader) {
  expect_one("include/halocline/communicator.hpp", "#include <mpi.h>\n", "other than mpi.hpp");
}
TEST_F(Planted, InstalledHeaderThatNeedsMpi) {
  expect_one("include/halocline/communicator.hpp", "#include \"halocline/mpi.hpp\"\n", "needs MPI");
}
TEST_F(Planted, UmbrellaThatNeedsMpi) {
  expect_one("include/halocline/halocline.hpp", "#include \"halocline/mpi.hpp\"\n", "needs MPI");
}
TEST_F(Planted, PrivateHeaderOfAnotherStage) {
  expect_one("src/comm/a.cpp", "#include \"core/detail/inner.hpp\"\n", "private to core");
}
TEST_F(Planted, PrivateHeaderInAnInstalledOne) {
  expect_one("include/halocline/error.hpp", "#include \"core/detail/inner.hpp\"\n", "which is not");
}
TEST_F(Planted, HeaderOfAStageInAnInstalledOne) {
  expect_one("include/halocline/error.hpp", "#include \"core/hash.hpp\"\n", "which is not");
}
TEST_F(Planted, PrivateHeaderInOneOfItsStage) {
  expect_one("src/core/a.hpp", "#include \"core/detail/inner.hpp\"\n", "seen by other stages");
}
TEST_F(Planted, HeaderOfAStageAbove) {
  write("src/comm/ring.hpp", "");
  expect_one("src/core/a.cpp", "#include \"comm/ring.hpp\"\n", "core may not include");
}
TEST_F(Planted, InstalledHeaderWithoutALine) { expect_one("include/halocline/a.hpp", "", "on no line \"user\""); }
TEST_F(Planted, LineOfAnInstalledHeaderThatIsNotThere) {
  fs::remove(root_ / "include/halocline/error.hpp");
  const Report report = check(root_);
  ASSERT_EQ(report.violations.size(), 1u);
  EXPECT_THAT(report.violations[0].what, HasSubstr("error.hpp"));
}
TEST_F(Planted, RelativeInclude) { expect_one("src/core/a.cpp", "#include \"inner.hpp\"\n", "neither"); }
TEST_F(Planted, FolderWithoutALine) { expect_one("src/misc/a.cpp", "", "no folder of src/LAYERS"); }
TEST_F(Planted, TransportThatIncludesAnother) {
  expect_one("src/exchange/transport/staged.cpp", "#include \"exchange/transport/self.hpp\"\n", "staged includes self");
}
TEST_F(Planted, TransportFolderThatIncludesAFile) {
  expect_one("src/exchange/transport/direct/a.cpp", "#include \"exchange/transport/self.hpp\"\n",
             "direct includes self");
}
TEST_F(Planted, TransportThatIncludesAFolder) {
  expect_one("src/exchange/transport/self.cpp", "#include \"exchange/transport/direct/flags.hpp\"\n",
             "includes direct");
}
TEST_F(Planted, CudaOutsideItsFolder) { expect_one("src/core/a.cpp", "#include <cuda.h>\n", "reserved"); }
TEST_F(Planted, CudaInAnInstalledHeader) {
  expect_one("include/halocline/error.hpp", "#include <cuda/atomic>\n", "reserved");
}
TEST_F(Planted, CudaInACppFileOfATool) { expect_one("bench/a.cpp", "#include <cuda.h>\n", "reserved"); }
TEST_F(Planted, LoaderInAnotherFile) { expect_one("src/core/gpu/b.cpp", "#include <dlfcn.h>\n", "reserved"); }
TEST_F(Planted, ReservedLineWithoutAHeader) {
  write("src/LAYERS", "core: |\nonly src/*:\n");
  EXPECT_THROW((void)check(root_), std::runtime_error);
}
TEST_F(Planted, ConditionOnCuda) {
  expect_one("src/comm/a.cpp", "#ifdef __CUDACC__\n#endif\n", "source file of its own");
}
TEST_F(Planted, ConditionOnAnOption) {
  expect_one("include/halocline/error.hpp", "#if 1 && defined(HALOCLINE_HAVE_MPI)\n#endif\n", "source file of its own");
}
TEST_F(Planted, AnotherConditionInTheHeaderThatAsksForTheCompiler) {
  expect_one("include/halocline/view.hpp", "#if defined(HALOCLINE_HAVE_CUDA)\n#endif\n", "source file of its own");
}
TEST_F(Planted, ToolWithAPrivateHeader) {
  expect_one("cli/a.cpp", "#include \"core/detail/inner.hpp\"\n", "private to its stage");
}
TEST_F(Planted, ProfilerWithAPrivateHeader) {
  expect_one("profile/a.cpp", "#include \"core/detail/inner.hpp\"\n", "private to its stage");
}
TEST_F(Planted, ToolWithAPrivateHeaderInAngles) {
  expect_one("bench/a.cpp", "#include <core/detail/inner.hpp>\n", "private to its stage");
}
TEST_F(Planted, ToolWithAHeaderThatIsNotThere) {
  expect_one("apps/a.cpp", "#include <halocline/inner.hpp>\n", "not an installed header");
}
TEST_F(Planted, ToolWithAHeaderOfAStageThatIsNotThere) {
  expect_one("apps/a.cpp", "#include \"core/inner.hpp\"\n", "neither");
}
TEST_F(Planted, ExampleWithAHeaderOfAStage) {
  expect_one("examples/a.cpp", "#include \"core/hash.hpp\"\n", "not installed");
}
TEST_F(Planted, BindingThatIncludesAStage) {
  expect_one("python/src/a.cpp", "#include \"core/hash.hpp\"\n", "not installed");
}
TEST_F(Planted, BindingOfCThatIncludesAStage) {
  expect_one("bindings/c/src/a.cpp", "#include \"core/hash.hpp\"\n", "not installed");
}
TEST_F(Planted, TestOfTheInstalledWithAHeaderOfAStage) {
  expect_one("tests/install/consumer/a.cpp", "#include \"core/hash.hpp\"\n", "not installed");
}
TEST_F(Planted, LongFile) { expect_one("tests/unit/a.cpp", std::string(401, '\n'), "has 401 lines"); }
TEST_F(Planted, FileWithoutALicence) {
  const fs::path path = root_ / "tests/unit/a.cpp";
  fs::create_directories(path.parent_path());
  std::ofstream(path) << "#include <vector>\n" << licence;
  const Report report = check(root_);
  ASSERT_EQ(report.violations.size(), 1u);
  EXPECT_THAT(report.violations[0].what, HasSubstr("SPDX"));
}
TEST_F(Planted, FileOfTheMostLines) {
  write("tests/unit/a.cpp", std::string(400, '\n'));
  EXPECT_TRUE(check(root_).violations.empty());
}

TEST_F(Planted, TableWithACycle) {
  write("src/LAYERS", "core: comm |\ncomm: core |\n");
  EXPECT_THROW((void)read_table(root_ / "src/LAYERS"), std::runtime_error);
}
TEST_F(Planted, TableWithoutABar) {
  write("src/LAYERS", "core: fmt/\n");
  EXPECT_THROW((void)read_table(root_ / "src/LAYERS"), std::runtime_error);
}
TEST_F(Planted, UserLineOfNoFolder) {
  write("src/LAYERS", "core: |\nuser comm: mpi.hpp\n");
  EXPECT_THROW((void)check(root_), std::runtime_error);
}
TEST_F(Planted, InstalledHeaderOfTwoStages) {
  write("src/LAYERS", "core: |\ncomm: core |\nuser core: box.hpp\nuser comm: box.hpp\n");
  EXPECT_THROW((void)check(root_), std::runtime_error);
}
TEST_F(Planted, TableThatIsMissing) {
  fs::remove(root_ / "src/LAYERS");
  EXPECT_THROW((void)check(root_), std::runtime_error);
}

}  // namespace
}  // namespace halocline::layering
