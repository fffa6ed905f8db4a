// SPDX-License-Identifier: BSD-3-Clause
// The profiling library is preloaded into other programs and includes this file in its build, so this file uses only
// the C++ and C libraries.
#include "io/write_file.hpp"

#include <sys/random.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <optional>

#include "core/posix_file.hpp"
#include "halocline/error.hpp"

namespace halocline::io {
namespace {

constexpr std::string_view temporary_prefix = ".halocline-";
constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::size_t random_bytes = 8;

std::span<const std::byte> bytes_of(std::string_view content) { return std::as_bytes(std::span(content)); }

/// A path as its folder, opened so that it stays the same one whatever is renamed meanwhile, and a name in it.
struct Place {
  Descriptor folder;
  std::string name;
};

Place place_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  if (path.empty()) fail_with(ENOENT);
  if (name.empty() || name == "." || name == "..") fail_with(EISDIR);
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return {Descriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)), std::move(name)};
}

/// What a path refers to: a regular file to be created or replaced, or something that is written to in place.
struct Target {
  std::optional<mode_t> permissions;  ///< of an existing regular file
  bool stream = false;
  bool own_output = false;  ///< a link to the regular file that standard output goes to
};

bool is_own_output(const struct stat& file) {
  struct stat output {};
  return ::fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == file.st_dev && output.st_ino == file.st_ino;
}

Target target_of(const Place& place) {
  struct stat file {};
  if (::fstatat(place.folder.get(), place.name.c_str(), &file, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return {};
    fail_with(errno);
  }
  const bool link = S_ISLNK(file.st_mode);
  if (link && ::fstatat(place.folder.get(), place.name.c_str(), &file, 0) != 0) fail_with(ELOOP);
  if (S_ISDIR(file.st_mode)) fail_with(EISDIR);
  const bool own_output = link && is_own_output(file);
  if (link && S_ISREG(file.st_mode) && !own_output) fail_with(ELOOP);
  checked_call(::faccessat(place.folder.get(), place.name.c_str(), W_OK, AT_EACCESS));
  if (!S_ISREG(file.st_mode) || own_output) return {{}, true, own_output};
  return {file.st_mode & 0777U, false, false};
}

/// A file in the same folder as the file that it will replace; removed unless it has replaced it.
class Temporary {
 public:
  Temporary(const Place& place, mode_t permissions)
      : place_(place),
        name_(unpredictable_name()),
        file_(::openat(place.folder.get(), name_.c_str(), flags, permissions)) {}
  Temporary(const Temporary&) = delete;  // one name one owner
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!name_.empty()) ::unlinkat(place_.folder.get(), name_.c_str(), 0);
  }

  void write(std::string_view content) { write_all(file_.get(), bytes_of(content)); }
  void set_permissions(mode_t permissions) { checked_call(::fchmod(file_.get(), permissions)); }
  [[nodiscard]] mode_t permissions() const {
    struct stat file {};
    checked_call(::fstat(file_.get(), &file));
    return file.st_mode & 0777U;
  }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::int64_t bytes() const {
    struct stat file {};
    checked_call(::fstat(file_.get(), &file));
    return file.st_size;
  }
  void replace_target() {
    file_.sync();
    file_.close();
    checked_call(::renameat(place_.folder.get(), name_.c_str(), place_.folder.get(), place_.name.c_str()));
    name_.clear();
    // The new name is on the storage device, too, before the caller goes on. Some folders may be written but not read.
    const int folder = ::openat(place_.folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) Descriptor(folder).sync();
  }

 private:
  static constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

  static std::string unpredictable_name() {
    std::array<unsigned char, random_bytes> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) fail_with(EIO);
    std::string name(temporary_prefix);
    for (const unsigned char byte : bytes) {
      name += hex_digits[byte >> 4U];
      name += hex_digits[byte & 0xfU];
    }
    return name;
  }

  const Place& place_;
  std::string name_;
  Descriptor file_;
};

/// Users that may read the file may also execute it.
mode_t executable(mode_t permissions) { return permissions | (permissions & 0444U) >> 2U; }

void write_regular(const Place& place, const Target& target, std::string_view content, FileKind kind) {
  Temporary file(place, target.permissions.value_or(0666));
  file.write(content);
  const mode_t wanted = target.permissions.value_or(file.permissions());
  file.set_permissions(kind == FileKind::program ? executable(wanted) : wanted);
  file.replace_target();
}

void write_stream(const std::string& path, const Target& target, std::string_view content) {
  std::fflush(stdout);  // what was printed before must come first
  Descriptor file(target.own_output ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                                    : ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  struct stat opened {};
  checked_call(::fstat(file.get(), &opened));
  // Another process has put a regular file there meanwhile.
  if (!target.own_output && S_ISREG(opened.st_mode)) fail_with(ELOOP);
  write_all(file.get(), bytes_of(content));
  file.close();
}

/// Whether the user could avoid the error with another path.
bool is_of_path(int error) {
  switch (error) {
    case EACCES:
    case EEXIST:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case ENOENT:
    case ENOTDIR:
    case EPERM:
    case EROFS: return true;
    default: return false;
  }
}

template <typename Body>
void with_errors_of(const std::string& name, const std::string& path, Body&& body) {
  try {
    body();
  } catch (const std::system_error& error) {
    const int code = error.code().value();
    const std::string reason = code == ELOOP ? "It is a symbolic link, which is not followed" : std::strerror(code);
    if (!is_of_path(code)) throw ResourceError(name + " '" + path + "' cannot be written: " + reason);
    throw InvalidArgument(name + " is '" + path +
                          "'; allowed is a file that can be written, in a folder that can: " + reason);
  }
}

}  // namespace

void write_file(const std::string& name, const std::string& path, std::string_view content, FileKind kind) {
  with_errors_of(name, path, [&] {
    const Place place = place_of(path);
    const Target target = target_of(place);
    if (target.stream) {
      write_stream(path, target, content);
    } else {
      write_regular(place, target, content, kind);
    }
  });
}

void check_writable(const std::string& name, const std::string& path) {
  with_errors_of(name, path, [&] {
    const Place place = place_of(path);
    if (!target_of(place).stream) const Temporary removed(place, 0600);
  });
}

bool is_temporary_name(std::string_view name) {
  return name.starts_with(temporary_prefix) && name.size() == temporary_prefix.size() + 2 * random_bytes &&
         name.find_first_not_of(hex_digits, temporary_prefix.size()) == std::string_view::npos;
}

struct PendingFile::Impl {
  Impl(std::string name_in, std::string path_in)
      : name(std::move(name_in)), path(std::move(path_in)), place(place_of(path)), target(regular(target_of(place))) {}
  static Target regular(Target target) {
    if (target.stream) fail_with(EEXIST);
    return target;
  }

  std::string name;
  std::string path;
  Place place;
  Target target;
  Temporary file{place, target.permissions.value_or(0666)};
};

PendingFile::PendingFile(std::string name, std::string path) {
  with_errors_of(name, path, [&] { impl_ = std::make_unique<Impl>(name, path); });
}
PendingFile::PendingFile(PendingFile&&) noexcept = default;
PendingFile& PendingFile::operator=(PendingFile&&) noexcept = default;
PendingFile::~PendingFile() = default;

std::string PendingFile::temporary_path() const {
  return impl_->path.substr(0, impl_->path.rfind('/') + 1) + impl_->file.name();
}

void PendingFile::commit(std::int64_t bytes) {
  with_errors_of(impl_->name, impl_->path, [&] {
    if (impl_->file.bytes() != bytes) fail_with(EIO);  // a write that failed without an error
    if (impl_->target.permissions) impl_->file.set_permissions(*impl_->target.permissions);
    impl_->file.replace_target();
  });
}

}  // namespace halocline::io
