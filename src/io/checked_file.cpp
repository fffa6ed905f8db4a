// SPDX-License-Identifier: BSD-3-Clause
#include "io/checked_file.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/posix_file.hpp"
#include "halocline/error.hpp"
#include "io/digest.hpp"
#include "io/found_file.hpp"

namespace halocline::io {
namespace {

/// Runs a step; its failures become an E.
template <typename E, typename Step>
auto in_words(const std::string& path, const char* verb, Step&& step) {
  try {
    return step();
  } catch (const std::system_error& error) {
    throw E(fmt::format("checkpoint file '{}' cannot be {}: {}", path, verb, error.code().message()));
  }
}

template <typename Number>
std::span<const std::byte> bytes_of(const std::vector<Number>& numbers) {
  return std::as_bytes(std::span(numbers));
}

}  // namespace

struct CheckedWriter::Impl {
  std::string folder;
  std::string path;
  CheckedFile about;
  Descriptor file;
  std::vector<std::byte> piece{};  ///< begun and not written
  std::vector<std::uint64_t> digests{};
  bool finished = false;

  void write_piece(std::span<const std::byte> bytes) {
    digests.push_back(digest_of(bytes));
    write_all(file.get(), bytes);
  }
};

CheckedWriter::CheckedWriter(const std::string& folder, std::string name) {
  const std::string path = folder + "/" + name;
  impl_ = in_words<ResourceError>(path, "written", [&] {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    return std::make_unique<Impl>(Impl{folder, path, {std::move(name)}, std::move(file)});
  });
}

CheckedWriter::~CheckedWriter() {
  if (!impl_->finished) ::unlink(impl_->path.c_str());
}

void CheckedWriter::append(std::span<const std::byte> bytes) {
  constexpr auto whole = static_cast<std::size_t>(checked_piece_bytes);
  impl_->about.data_bytes += static_cast<std::int64_t>(bytes.size());
  in_words<ResourceError>(impl_->path, "written", [&] {
    auto& piece = impl_->piece;
    while (!bytes.empty()) {
      if (piece.empty() && bytes.size() >= whole) {
        impl_->write_piece(bytes.first(whole));
        bytes = bytes.subspan(whole);
        continue;
      }
      const auto part = bytes.first(std::min(bytes.size(), whole - piece.size()));
      piece.insert(piece.end(), part.begin(), part.end());
      bytes = bytes.subspan(part.size());
      if (piece.size() < whole) continue;
      impl_->write_piece(piece);
      piece.clear();
    }
  });
}

CheckedFile CheckedWriter::finish() {
  in_words<ResourceError>(impl_->path, "written", [&] {
    if (!impl_->piece.empty()) impl_->write_piece(impl_->piece);
    impl_->about.digest = digest_of(bytes_of(impl_->digests));
    impl_->digests.push_back(impl_->about.digest);
    write_all(impl_->file.get(), bytes_of(impl_->digests));
    impl_->file.sync();
    impl_->file.close();
    // Some folders may be written but not read.
    const int folder = ::open(impl_->folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) Descriptor(folder).sync();
  });
  impl_->finished = true;
  return impl_->about;
}

struct CheckedReader::Impl {
  std::string path;
  CheckedFile about;
  Descriptor file;
  std::vector<std::uint64_t> digests{};
  std::vector<std::byte> piece{};
  std::int64_t number = -1;  ///< of the piece

  [[noreturn]] void refuse(const std::string& why) const {
    throw InvalidArgument(fmt::format("checkpoint file '{}' is damaged: {}", path, why));
  }

  void read_whole(std::span<std::byte> bytes, std::int64_t offset) const {
    if (read_at(file.get(), bytes, offset) != bytes.size()) refuse("it ends early");
  }

  void read_digests() {
    struct stat status {};
    checked_call(::fstat(file.get(), &status));
    if (about.data_bytes > status.st_size) {
      refuse(fmt::format("it has {} bytes; its manifest states {} of cells", status.st_size, about.data_bytes));
    }
    digests.resize(static_cast<std::size_t>(about.pieces()) + 1);
    const auto tail = static_cast<std::int64_t>(digests.size() * sizeof(std::uint64_t));
    if (status.st_size != about.data_bytes + tail) {
      refuse(fmt::format("it has {} bytes; its manifest states {}", status.st_size, about.data_bytes + tail));
    }
    read_whole(std::as_writable_bytes(std::span(digests)), about.data_bytes);
    if (digests.back() != about.digest) refuse("its last digest is not the manifest's");
    digests.pop_back();
    if (digest_of(bytes_of(digests)) != about.digest) refuse("its digests have another digest");
  }

  void load(std::int64_t wanted) {
    if (number == wanted) return;
    number = -1;
    const std::int64_t first = wanted * checked_piece_bytes;
    piece.resize(static_cast<std::size_t>(std::min(checked_piece_bytes, about.data_bytes - first)));
    read_whole(piece, first);
    if (digest_of(piece) != digests[static_cast<std::size_t>(wanted)]) {
      refuse(fmt::format("bytes {} to {} have another digest", first, first + std::ssize(piece) - 1));
    }
    number = wanted;
  }
};

CheckedReader::CheckedReader(const std::string& folder, CheckedFile file) {
  const std::string path = folder + "/" + file.name;
  in_words<InvalidArgument>(path, "read", [&] {
    impl_ = std::make_unique<Impl>(Impl{path, std::move(file), open_found(path, O_NOFOLLOW)});
    impl_->read_digests();
  });
}

CheckedReader::CheckedReader(CheckedReader&&) noexcept = default;
CheckedReader& CheckedReader::operator=(CheckedReader&&) noexcept = default;
CheckedReader::~CheckedReader() = default;

void CheckedReader::read(std::int64_t offset, std::span<std::byte> bytes) {
  in_words<InvalidArgument>(impl_->path, "read", [&] {
    while (!bytes.empty()) {
      impl_->load(offset / checked_piece_bytes);
      const auto within = static_cast<std::size_t>(offset % checked_piece_bytes);
      const std::size_t count = std::min(bytes.size(), impl_->piece.size() - within);
      std::memcpy(bytes.data(), impl_->piece.data() + within, count);
      bytes = bytes.subspan(count);
      offset += static_cast<std::int64_t>(count);
    }
  });
}

}  // namespace halocline::io
