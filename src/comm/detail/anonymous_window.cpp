// SPDX-License-Identifier: BSD-3-Clause
#include "comm/detail/anonymous_window.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "comm/agree.hpp"
#include "comm/detail/arguments.hpp"
#include "comm/gather.hpp"
#include "comm/requests.hpp"
#include "core/anonymous_file.hpp"

namespace halocline::comm {
namespace {

class AnonymousWindow final : public SharedWindow {
 public:
  /// No file if a segment is empty.
  explicit AnonymousWindow(std::vector<std::optional<AnonymousFile>> files) : files_(std::move(files)) {}

  [[nodiscard]] std::span<std::byte> segment(rank_id rank) const override {
    if (rank.value() < 0 || rank.index() >= files_.size()) {
      throw InvalidArgument(fmt::format("segment: rank is {}; allowed is 0 to {}", rank.value(), files_.size() - 1));
    }
    const auto& file = files_[rank.index()];
    return file ? std::span<std::byte>(file->data(), file->bytes()) : std::span<std::byte>();
  }

 private:
  std::vector<std::optional<AnonymousFile>> files_;
};

}  // namespace

std::unique_ptr<SharedWindow> make_anonymous_window(RankGroup& comm, std::size_t bytes) {
  std::vector<std::optional<AnonymousFile>> files(static_cast<std::size_t>(comm.size()));
  auto& mine = files[comm.rank().index()];
  AnonymousFileHandle handle;
  agree_on(comm, [&] {
    if (bytes == 0) return;
    mine.emplace(bytes);
    handle = mine->handle();
  });
  const auto handles = comm::gather_value(comm, handle);
  // The agreement also keeps each rank's file open until all others have mapped it.
  agree_on(comm, [&] {
    for (std::size_t rank = 0; rank < handles.size(); ++rank) {
      if (rank == comm.rank().index() || handles[rank].bytes == 0) continue;
      files[rank].emplace(AnonymousFile::open(handles[rank]));
    }
  });
  return std::make_unique<AnonymousWindow>(std::move(files));
}

}  // namespace halocline::comm
