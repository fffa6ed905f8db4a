// SPDX-License-Identifier: BSD-3-Clause
// A file that ranks of one process write together, each by itself.
#include "comm/shared_file.hpp"

#include <utility>

#include "comm/agree.hpp"
#include "comm/detail/file_errors.hpp"
#include "comm/local/local_communicator.hpp"

namespace halocline::comm::local {
namespace {

class LocalFile final : public SharedFile {
 public:
  LocalFile(RankGroup& comm, Descriptor file, std::string what)
      : comm_(&comm), file_(std::move(file)), what_(std::move(what)) {}

  void write(const FilePart& part) override {
    failure_.keep([&] { in_words([&] { write_rows(part); }); });
  }

  void close() override {
    failure_.keep([&] {
      in_words([&] {
        file_.sync();
        file_.close();
      });
    });
    agree(*comm_, failure_.first());
  }

 private:
  template <typename Step>
  void in_words(Step&& step) {
    try {
      step();
    } catch (const std::system_error& error) {
      refuse_file(what_, error.code().message());
    }
  }

  /// Whole planes, or whole rows, are one write where the box has them.
  void write_rows(const FilePart& part) const {
    if (part.box.empty()) return;
    const Vec3 extent = part.box.extent();
    const bool rows = extent.x == part.extent.x;
    const bool planes = rows && extent.y == part.extent.y;
    const std::int64_t run = part.element_bytes * extent.x * (rows ? extent.y : 1) * (planes ? extent.z : 1);
    const std::byte* data = part.data;
    for (std::int64_t z = part.box.lo.z; z < (planes ? part.box.lo.z + 1 : part.box.hi.z); ++z) {
      for (std::int64_t y = part.box.lo.y; y < (rows ? part.box.lo.y + 1 : part.box.hi.y); ++y) {
        const std::int64_t element = part.box.lo.x + part.extent.x * (y + part.extent.y * z);
        write_all_at(file_.get(), {data, static_cast<std::size_t>(run)}, part.offset + part.element_bytes * element);
        data += run;
      }
    }
  }

  RankGroup* comm_;
  Descriptor file_;
  std::string what_;
  KeptFailure failure_;
};

}  // namespace

std::unique_ptr<SharedFile> LocalCommunicator::open_shared_file(const std::string& path, const std::string& what,
                                                                std::int64_t bytes) {
  std::unique_ptr<SharedFile> file;
  agree_on(*this, [&] { file = std::make_unique<LocalFile>(*this, open_existing(*this, path, what, bytes), what); });
  return file;
}

}  // namespace halocline::comm::local
