// SPDX-License-Identifier: BSD-3-Clause
// What an output refuses, and its series; images.py reads the images themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cmath>

#include "comm/local_ranks.hpp"
#include "contract/files/files_case.hpp"
#include "core/posix_file.hpp"
#include "support/error_of.hpp"

namespace halocline::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void on_ranks(int ranks, const std::function<void(FilesDomain&)>& body) {
  comm::run_as_threads(ranks, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, {});
    fill(d, 1);
    body(d);
  });
}

std::vector<std::string> steps_of(const std::string& series) {
  std::vector<std::string> steps;
  std::istringstream text(content_of(series));
  for (std::string line; std::getline(text, line);) {
    const auto at = line.find("timestep=");
    if (at != std::string::npos) steps.push_back(line.substr(at));
  }
  return steps;
}

TEST(AnOutput, lists_its_steps_and_goes_back_where_a_step_is_repeated) {
  const TemporaryFolder folder;
  const std::string series = folder.at("a b&c.pvd");
  on_ranks(2, [&](FilesDomain& d) {
    Output output(d.domain, series);
    for (const int step : {0, 10, 20}) output.write(step, 0.5 * step);
    output.write(10, 5.25);
  });
  EXPECT_THAT(steps_of(series), ElementsAre("timestep=\"0\" part=\"0\" file=\"a b&amp;c-000000.vti\"/>",
                                            "timestep=\"5.25\" part=\"0\" file=\"a b&amp;c-000010.vti\"/>"));
  EXPECT_THAT(TemporaryFolder::names(folder.path()),
              ElementsAre("a b&c-000000.vti", "a b&c-000010.vti", "a b&c-000020.vti", "a b&c.pvd"));
}

TEST(AnOutput, continues_a_series_only_where_that_is_asked_for) {
  const TemporaryFolder folder;
  const std::string series = folder.at("u.pvd");
  on_ranks(1, [&](FilesDomain& d) {
    Output first(d.domain, series);
    for (const int step : {0, 10, 20}) first.write(step, 1e-9 * step);
    Output second(d.domain, series, {.resume = true});
    second.write(15, 0.15);
    EXPECT_THAT(steps_of(series),
                ElementsAre(HasSubstr("-000000.vti"), HasSubstr("\"1e-08\""), HasSubstr("-000015.vti")));
    Output third(d.domain, series);
    third.write(7, 0.7);
    EXPECT_THAT(steps_of(series), ElementsAre(HasSubstr("-000007.vti")));
    put_content(series, content_of(series) + "<!-- a user's -->\n");
    EXPECT_THAT(error_of<InvalidArgument>([&] { return Output(d.domain, series, {.resume = true}); }),
                HasSubstr("series file '" + series + "' is not one that this output wrote"));
  });
}

TEST(AnOutput, refuses_what_cannot_be_written_on_all_ranks) {
  const TemporaryFolder folder;
  std::vector<std::string> texts(3);
  on_ranks(3, [&](FilesDomain& d) {
    const auto refused = [&](const std::string& path, OutputOptions options = {}) {
      return error_of<InvalidArgument>([&] { return Output(d.domain, path, options); });
    };
    EXPECT_THAT(refused(folder.at("u.vtk")), HasSubstr("u.vtk'; allowed is a name that ends in .pvd"));
    EXPECT_THAT(refused(folder.at(".pvd")), HasSubstr("ends in .pvd"));
    EXPECT_THAT(refused(folder.at("a\nb.pvd")), HasSubstr("b.pvd'; allowed in files is UTF-8 text without control"));
    EXPECT_THAT(refused(folder.at("u\xff.pvd")), HasSubstr(".pvd'; allowed in files is UTF-8 text"));
    EXPECT_THAT(refused(folder.at("u.pvd"), {.spacing = {1, 0, 1}}),
                HasSubstr("spacing of an output is 0 in y; allowed are"));
    EXPECT_THAT(refused(folder.at("u.pvd"), {.origin = {0, 0, NAN}}), HasSubstr("origin of an output is nan in z"));
    EXPECT_THAT(refused(folder.at("u.pvd"), {.fields = {field_id(9)}}), HasSubstr("field is 9; allowed are 0 to 3"));
    const auto rank = static_cast<double>(d.domain.plan().comm.rank().value());
    EXPECT_THAT(refused(folder.at("u.pvd"), {.origin = {rank, 0, 0}}), HasSubstr("rank 1 has"));
    texts[d.domain.plan().comm.rank().index()] = refused(folder.at("no/such/u.pvd"));
    Output output(d.domain, folder.at("u.pvd"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { output.finish(); }), HasSubstr("without a start()"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { output.start(-1, 0); }),
                HasSubstr("step of an output is -1; allowed is 0 or more"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { output.start(1, NAN); }), HasSubstr("time of an output is nan"));
    output.start(1, 1);
    EXPECT_THAT(error_of<InvalidArgument>([&] { output.start(2, 2); }), HasSubstr("finish() it before"));
    output.finish();
  });
  EXPECT_THAT(texts[0], HasSubstr("rank 0: series file of an output is '" + folder.at("no/such/u.pvd")));
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(texts[0], texts[2]);
}

TEST(AnOutput, that_cannot_read_the_series_it_continues_says_so_on_all_ranks) {
  const TemporaryFolder folder;
  const std::string series = folder.at("u.pvd");
  // A socket, which has a name and cannot be opened, by root either.
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  ASSERT_LT(series.size(), sizeof address.sun_path);
  std::ranges::copy(series, address.sun_path);
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  std::vector<std::string> texts(3);
  on_ranks(3, [&](FilesDomain& d) {
    texts[d.domain.plan().comm.rank().index()] =
        error_of<InvalidArgument>([&] { return Output(d.domain, series, {.resume = true}); });
  });
  EXPECT_THAT(texts, testing::Each("rank 0: series file of an output is '" + series +
                                   "'; allowed is a file that can be read: No such device or address"));
}

TEST(AnOutput, has_no_step_that_was_refused_on_one_rank) {
  const TemporaryFolder folder;
  std::vector<std::string> texts(2);
  on_ranks(2, [&](FilesDomain& d) {
    const rank_id rank = d.domain.plan().comm.rank();
    Output output(d.domain, folder.at("u.pvd"));
    if (rank == rank_id(0)) {
      output.start(1, 1);
    } else {
      EXPECT_THAT(error_of<InvalidArgument>([&] { output.start(1, NAN); }), HasSubstr("time of an output is nan"));
    }
    texts[rank.index()] = error_of<InvalidArgument>([&] { output.finish(); });
    output.start(2, 2);
    output.finish();
  });
  EXPECT_EQ(texts[0], "rank 1: Output::finish() without a start(); call start() before");
  EXPECT_EQ(texts[1], texts[0]);
}

TEST(AnOutput, survives_a_folder_that_went_away_and_came_back) {
  const TemporaryFolder folder;
  const std::string run = folder.at("run");
  std::filesystem::create_directory(run);
  on_ranks(2, [&](FilesDomain& d) {
    Output output(d.domain, run + "/u.pvd");
    output.write(1, 1);
    d.domain.plan().comm.barrier();
    if (d.domain.plan().comm.rank() == rank_id(0)) std::filesystem::rename(run, folder.at("elsewhere"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { output.write(2, 2); }), HasSubstr("u-000002.vti'; allowed is"));
    if (d.domain.plan().comm.rank() == rank_id(0)) std::filesystem::rename(folder.at("elsewhere"), run);
    output.write(3, 3);
  });
  EXPECT_THAT(steps_of(run + "/u.pvd"), ElementsAre(HasSubstr("u-000001.vti"), HasSubstr("u-000003.vti")));
}

/// A file system in memory; absent where this user may not mount one.
class Mounted {
 public:
  Mounted(const std::string& path, const std::string& options) : path_(path) {
    std::filesystem::create_directory(path);
    mounted = ::mount("tmpfs", path.c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;
  ~Mounted() {
    if (mounted) ::umount2(path_.c_str(), MNT_DETACH);
  }
  void make_read_only() const { ASSERT_EQ(::mount("", path_.c_str(), "", MS_REMOUNT | MS_RDONLY, ""), 0); }
  bool mounted = false;

 private:
  std::string path_;
};

TEST(AnOutput, leaves_what_was_there_where_the_disk_is_full_or_read_only) {
  const TemporaryFolder folder;
  const std::string disk = folder.at("disk");
  const Mounted small(disk, "size=128k");
  if (!small.mounted) GTEST_SKIP() << "skipped: this user may not mount a tmpfs";
  on_ranks(2, [&](FilesDomain& d) {  // an image takes 51 KB
    Output output(d.domain, disk + "/u.pvd");
    output.write(1, 1);
    output.write(2, 2);
    EXPECT_THAT(error_of<ResourceError>([&] { output.write(3, 3); }),
                HasSubstr("u-000003.vti' cannot be written: No space left"));
    d.domain.plan().comm.barrier();
    EXPECT_THAT(TemporaryFolder::names(disk), ElementsAre("u-000001.vti", "u-000002.vti", "u.pvd"));
    d.domain.plan().comm.barrier();
    if (d.domain.plan().comm.rank() == rank_id(0)) small.make_read_only();
    EXPECT_THAT(error_of<InvalidArgument>([&] { output.write(1, 1); }), HasSubstr("Read-only file system"));
  });
  EXPECT_THAT(steps_of(disk + "/u.pvd"), ElementsAre(HasSubstr("u-000001.vti"), HasSubstr("u-000002.vti")));
}

TEST(AnOutput, is_refused_within_a_capture) {
  const TemporaryFolder folder;
  on_ranks(1, [&](FilesDomain& d) {
    Output output(d.domain, folder.at("u.pvd"));
    Capture capture = d.domain.capture();
    EXPECT_THAT(error_of<InvalidArgument>([&] { output.start(0, 0); }), HasSubstr("allowed is after it"));
    static_cast<void>(capture.finish());
  });
}

}  // namespace
}  // namespace halocline::test
