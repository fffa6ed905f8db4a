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
  // A check that reads nothing finds nothing.
  EXPECT_GT(report.files, 100u);
  EXPECT_GT(report.includes, 500u);
}

/// A small tree that follows the rules, in which each test plants one fault.
class Planted : public testing::Test {
 protected:
  Planted() {
    std::string pattern = (fs::temp_directory_path() / "halocline_layering_XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    write("src/LAYERS",
          "# a comment\ncore: | fmt/ unistd.h\ncomm: core | mpi.h\nexchange: core comm |\n"
          "only src/core/gpu/* *.cu *.cuh: cuda.h cuda/\nonly src/core/loader_*.cpp: dlfcn.h\n");
    write("include/halocline/halocline.hpp", "#include \"halocline/core/box.hpp\"\n");
    write("include/halocline/core/box.hpp", "#include <vector>\n");
    write("include/halocline/comm/mpi.hpp", "#include <mpi.h>\n#include \"halocline/core/box.hpp\"\n");
    write("include/halocline/comm/communicator.hpp", "#include <span>\n");
    write("src/core/box.cpp",
          "#include \"halocline/core/box.hpp\"\n#include <fmt/core.h>\n#include \"core/inner.hpp\"\n");
    write("src/core/inner.hpp", "#if defined(__linux__)\n#include <unistd.h>\n#endif\n");
    write("src/exchange/transport/endpoint.hpp", "");
    write("src/exchange/transport/self.hpp", "#include \"exchange/transport/endpoint.hpp\"\n");
    write("src/exchange/transport/self.cpp", "#include \"exchange/transport/self.hpp\"\n");
    write("src/exchange/transport/direct/flags.hpp", "");
    write("src/exchange/transport/direct/direct.cpp", "#include \"exchange/transport/direct/flags.hpp\"\n");
    write("src/exchange/transport/staged.cpp", "#include \"exchange/transport/factory.hpp\"\n");
    write("src/exchange/transport/factory.hpp", "");
    write("src/exchange/transport/factory.cpp", "#include \"exchange/transport/self.hpp\"\n");
    write("cli/main.cpp", "#include \"halocline/core/box.hpp\"\n#include \"cli/table.hpp\"\n#include <CLI/CLI.hpp>\n");
    write("cli/table.hpp", "");
    write("src/core/gpu/a.cpp", "#include <cuda.h>\n");
    write("src/exchange/kernels.cu", "#include <cuda.h>\n#include <cuda/atomic>\n");
    write("src/core/loader_a.cpp", "#include <dlfcn.h>\n");
    write("bench/lanes.cuh", "#include <cuda/atomic>\n");
  }
  ~Planted() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  /// Plants a file, and expects exactly one violation, in it.
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
  EXPECT_EQ(report.files, 20u);
}

TEST_F(Planted, UpwardInclude) {
  expect_one("src/core/a.cpp", "\n#include \"halocline/comm/communicator.hpp\"\n", "core may not include");
}
TEST_F(Planted, UpwardIncludeInAngles) {
  expect_one("include/halocline/core/a.hpp", "  #  include <halocline/comm/communicator.hpp>\n",
             "core may not include");
}
TEST_F(Planted, ForeignHeader) {
  expect_one("src/exchange/a.cpp", "#include <hwloc.h>\n", "exchange may not include <hwloc.h>");
}
TEST_F(Planted, MpiOutsideComm) { expect_one("src/exchange/a.cpp", "#include <mpi.h>\n", "<mpi.h>"); }
TEST_F(Planted, MpiInAnotherPublicHeader) {
  expect_one("include/halocline/comm/b.hpp", "#include <mpi.h>\n", "other than comm/mpi.hpp");
}
TEST_F(Planted, PublicHeaderThatNeedsMpi) {
  expect_one("include/halocline/exchange/b.hpp", "#include \"halocline/comm/mpi.hpp\"\n", "needs MPI");
}
TEST_F(Planted, UmbrellaThatNeedsMpi) {
  expect_one("include/halocline/halocline.hpp", "#include \"halocline/comm/mpi.hpp\"\n", "needs MPI");
}
TEST_F(Planted, PrivateHeaderOfAnotherStage) {
  expect_one("src/comm/a.cpp", "#include \"core/inner.hpp\"\n", "private to core");
}
TEST_F(Planted, PrivateHeaderInAPublicOne) {
  expect_one("include/halocline/core/a.hpp", "#include \"core/inner.hpp\"\n", "private header");
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
TEST_F(Planted, CudaInAPublicHeader) {
  expect_one("include/halocline/core/a.hpp", "#include <cuda/atomic>\n", "reserved");
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
  expect_one("include/halocline/core/a.hpp", "#if 1 && defined(HALOCLINE_HAVE_MPI)\n#endif\n",
             "source file of its own");
}
TEST_F(Planted, ToolWithAPrivateHeader) {
  expect_one("cli/a.cpp", "#include \"core/inner.hpp\"\n", "neither a public header");
}
TEST_F(Planted, ProfilerWithAPrivateHeader) {
  expect_one("profile/a.cpp", "#include \"core/inner.hpp\"\n", "neither a public header");
}
TEST_F(Planted, ToolWithAPrivateHeaderInAngles) {
  expect_one("bench/a.cpp", "#include <core/inner.hpp>\n", "private header");
}
TEST_F(Planted, ToolWithAHeaderThatIsNotThere) {
  expect_one("apps/a.cpp", "#include <halocline/core/inner.hpp>\n", "no public header");
}
TEST_F(Planted, LongFile) { expect_one("tests/unit/a.cpp", std::string(401, '\n'), "has 401 lines"); }
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
TEST_F(Planted, TableThatIsMissing) {
  fs::remove(root_ / "src/LAYERS");
  EXPECT_THROW((void)check(root_), std::runtime_error);
}

}  // namespace
}  // namespace halocline::layering
