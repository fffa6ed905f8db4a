// SPDX-License-Identifier: BSD-3-Clause
// Files that all ranks write together.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "comm/shared_file.hpp"
#include "contract/comm/comm_contract.hpp"

namespace halocline::test {
namespace {

using comm::FilePart;
using comm::RankGroup;
using testing::HasSubstr;

/// A new empty file whose path all ranks know; removed at the end, after all ranks have closed theirs.
class FileOfAll {
 public:
  explicit FileOfAll(RankGroup& comm) : comm_(&comm) {
    std::string path = testing::TempDir() + "halocline-shared-XXXXXX";
    if (root()) ::close(::mkstemp(path.data()));
    auto bytes = to_bytes(path);
    comm.broadcast(bytes, rank_id(0));
    path_ = to_text(bytes);
  }
  FileOfAll(const FileOfAll&) = delete;
  FileOfAll& operator=(const FileOfAll&) = delete;
  ~FileOfAll() {
    if (root()) std::filesystem::remove(path_);
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string content() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  [[nodiscard]] bool root() const { return comm_->rank() == rank_id(0); }
  RankGroup* comm_;
  std::string path_;
};

constexpr Vec3 array{13, 7, 9};
constexpr std::int64_t element = 3;  // bytes
constexpr std::int64_t head = 11;

std::byte byte_at(const Vec3& p, std::int64_t i, std::int64_t salt) {
  return static_cast<std::byte>((i + element * (p.x + array.x * (p.y + array.y * p.z)) + 17 * salt) % 251);
}

std::vector<std::byte> cells_of(const Box& box, std::int64_t salt) {
  std::vector<std::byte> bytes;
  for_each_cell(box, [&](const Vec3& p) {
    for (std::int64_t i = 0; i < element; ++i) bytes.push_back(byte_at(p, i, salt));
  });
  return bytes;
}

/// The part of a rank that cuts the array in one dimension; the last rank has none of it if there are several.
Box part_of(const RankGroup& comm, int dim) {
  const std::int64_t owners = std::max(comm.size() - 1, 1);
  const std::int64_t rank = comm.rank().value();
  Box box = Box::of_extent(array);
  if (rank >= owners) return {};
  box.lo[dim] = array[dim] * rank / owners;
  box.hi[dim] = array[dim] * (rank + 1) / owners;
  return box;
}

TEST_P(CommContract, AFileHasTheBoxesThatAllRanksWrote) {
  on_ranks([](RankGroup& comm) {
    const FileOfAll file(comm);
    const std::int64_t bytes = element * array.volume();
    const auto shared = comm.open_shared_file(file.path(), "a file", head + 3 * bytes);
    for (int dim = 0; dim < 3; ++dim) {  // rows in pieces, whole rows, whole planes
      const Box box = part_of(comm, dim);
      const auto cells = cells_of(box, dim);
      shared->write({head + dim * bytes, array, element, box, cells.data()});
    }
    shared->close();
    std::string wanted(static_cast<std::size_t>(head), '\0');
    for (int dim = 0; dim < 3; ++dim) wanted += to_text(cells_of(Box::of_extent(array), dim));
    EXPECT_TRUE(file.content() == wanted) << "of " << file.content().size() << " bytes";
    comm.barrier();
  });
}

TEST_P(CommContract, AFileThatIsNotThereOrTooLargeIsOneErrorOnAllRanks) {
  on_ranks([](RankGroup& comm) {
    const FileOfAll file(comm);
    const auto refusal = [&](const std::string& path, std::int64_t bytes) {
      return message_of<ResourceError>([&] { (void)comm.open_shared_file(path, "a file", bytes); });
    };
    EXPECT_THAT(refusal(file.path() + "/no", 1), HasSubstr("rank 0: a file cannot be written: Not a directory"));
    EXPECT_THAT(refusal(file.path(), std::int64_t{1} << 62), HasSubstr("rank 0: a file cannot be written: "));
    // The path of one rank alone is wrong.
    const bool last = comm.rank().value() == comm.size() - 1;
    EXPECT_THAT(refusal(file.path() + (last ? "-no" : ""), 1),
                HasSubstr("rank " + std::to_string(comm.size() - 1) + ": a file cannot be written: No such file"));
    EXPECT_FALSE(comm.poisoned());
    comm.open_shared_file(file.path(), "a file", 1)->close();
    comm.barrier();
  });
}

}  // namespace
}  // namespace halocline::test
