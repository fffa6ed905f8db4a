// SPDX-License-Identifier: BSD-3-Clause
// Preloaded: reports the calls that write files of one folder, and fails one of them with a given error number.
//
//   OUTPUTS_FOLDER  the folder, as an absolute path without links
//   OUTPUTS_LOG     a file outside of it, which receives a line for each call
//   OUTPUTS_FAIL    write:FILE:BYTES:ERROR, so that a file takes so many bytes and no more: the write that goes further is short,
//                   and the next one fails; or open|fsync|close|rename|fchmod|fallocate:FILE:NUMBER:ERROR, so that call NUMBER fails
//   OUTPUTS_RANK    the rank of an MPI job whose calls fail (0)
//
// Files have numbers from 1, in the order in which the folder's files are opened for writing. fcntl.h is not included:
// a variable argument is a parameter of the binary interface.
#include <linux/fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

struct Part {  // iovec
  const char* data;
  std::size_t bytes;
};

constexpr int most_descriptors = 4096;
constexpr int a_folder = -1;
constexpr int standard_output = 1;

struct File {
  std::atomic<int> number{0};  ///< 0 if it is not of the folder
  std::atomic<long> bytes{0};
};
constinit File files[most_descriptors];
constinit std::atomic<int> opened{0};

struct Fault {
  char kind[16] = "none";
  int file = 0;
  long number = 0;
  int error = 0;
};

/// Of this process, read once.
struct Setting {
  const char* folder = std::getenv("OUTPUTS_FOLDER");
  const char* log = std::getenv("OUTPUTS_LOG");
  int rank = 0;
  Fault fault;

  Setting() {
    for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
      if (const char* const text = std::getenv(name)) rank = std::atoi(text);
    }
    const char* const chosen = std::getenv("OUTPUTS_RANK");
    const char* const text = std::getenv("OUTPUTS_FAIL");
    if (text == nullptr || rank != (chosen == nullptr ? 0 : std::atoi(chosen))) return;
    if (std::sscanf(text, "%15[^:]:%d:%ld:%d", fault.kind, &fault.file, &fault.number, &fault.error) == 4) return;
    std::fprintf(stderr, "OUTPUTS_FAIL is '%s'; allowed is KIND:FILE:NUMBER:ERROR\n", text);
    std::abort();
  }
};

const Setting& setting() {
  static const Setting read;
  return read;
}

void report(const char* kind, int file, long number, const char* first = "", const char* second = "") {
  if (setting().log == nullptr) return;
  const int before = errno;
  char text[9000];
  const int size =
      std::snprintf(text, sizeof text, "%d %s %d %ld %s %s\n", setting().rank, kind, file, number, first, second);
  const long log = syscall(SYS_openat, AT_FDCWD, setting().log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  static_cast<void>(syscall(SYS_write, log, text, static_cast<std::size_t>(size)));
  static_cast<void>(syscall(SYS_close, log));
  errno = before;
}

bool is_fault(const char* kind, int file, long number) {
  const Fault& fault = setting().fault;
  if (std::strcmp(fault.kind, kind) != 0 || fault.file != file || fault.number != number) return false;
  report("failed", file, number, kind);
  errno = fault.error;
  return true;
}

/// A path in the folder, as an absolute one; nullptr for other paths.
struct Path {
  char text[8200];
  bool inside = false;

  Path(int at, const char* path) {
    if (setting().folder == nullptr || path == nullptr) return;
    long size = 0;
    if (path[0] != '/') {
      if (at == AT_FDCWD) {
        size = syscall(SYS_getcwd, text, 4096L) - 1;
      } else {
        char link[64];
        std::snprintf(link, sizeof link, "/proc/self/fd/%d", at);
        size = syscall(SYS_readlinkat, AT_FDCWD, link, text, 4096L);
      }
      if (size < 0) return;
      text[size++] = '/';
    }
    std::snprintf(text + size, sizeof text - static_cast<std::size_t>(size), "%s", path);
    const std::size_t folder = std::strlen(setting().folder);
    inside = std::strncmp(text, setting().folder, folder) == 0 && text[folder] == '/';
  }
};

int number_of(int descriptor) {
  return descriptor < 0 || descriptor >= most_descriptors ? 0 : files[descriptor].number.load();
}

int open_file(int at, const char* path, int flags, unsigned mode) {
  const Path place(at, path);
  const bool writes = (flags & O_ACCMODE) != O_RDONLY && (flags & O_PATH) == 0;
  const bool folder = !writes && (flags & O_DIRECTORY) != 0 && (flags & O_PATH) == 0;
  int number = 0;
  if (place.inside && writes) {
    number = ++opened;
    report("open", number, 1, place.text);
    if (is_fault("open", number, 1)) return -1;
  } else if (place.inside && folder) {
    number = a_folder;
  }
  const auto descriptor = static_cast<int>(syscall(SYS_openat, at, path, flags, mode));
  if (descriptor >= 0 && descriptor < most_descriptors) {
    files[descriptor].number = number;
    files[descriptor].bytes = 0;
  }
  return descriptor;
}

/// at: where in the file, or -1 for where it is.
ssize_t write_parts(int descriptor, const Part* parts, int count, off_t at) {
  const int number = number_of(descriptor);
  if (number <= 0) {
    if (at < 0) return syscall(SYS_writev, descriptor, parts, static_cast<long>(count));
    return syscall(SYS_pwritev, descriptor, parts, static_cast<long>(count), at, 0L);
  }
  File& file = files[descriptor];
  const Fault& fault = setting().fault;
  const bool cut = std::strcmp(fault.kind, "write") == 0 && fault.file == number;
  ssize_t done = 0;
  for (int i = 0; i < count; ++i) {
    auto bytes = static_cast<long>(parts[i].bytes);
    if (bytes == 0) continue;
    if (cut && bytes > fault.number - file.bytes) {
      bytes = fault.number - file.bytes;
      report("failed", number, file.bytes, "write");
    }
    if (bytes <= 0) break;
    const ssize_t written = at < 0 ? syscall(SYS_write, descriptor, parts[i].data, bytes)
                                   : syscall(SYS_pwrite64, descriptor, parts[i].data, bytes, at + done);
    if (written < 0) return done > 0 ? done : written;
    done += written;
    file.bytes += written;
    if (written < static_cast<long>(parts[i].bytes)) break;
  }
  report("write", number, file.bytes);
  if (done > 0 || !cut) return done;
  errno = fault.error;
  return -1;
}

/// A call for a file that is open; folders count together.
template <typename Call>
int call_of(const char* kind, int descriptor, Call&& call) {
  static constinit std::atomic<int> of_folders{0};
  const int number = number_of(descriptor);
  const long count = number == a_folder ? ++of_folders : 1;
  if (number == 0) return call();
  report(kind, number, count);
  if (is_fault(kind, number, count)) return -1;
  return call();
}

int rename_file(int at, const char* from, int into, const char* to) {
  static constinit std::atomic<int> renames{0};
  const Path target(into, to);
  if (target.inside) {
    const int count = ++renames;
    report("rename", 0, count, Path(at, from).text, target.text);
    if (is_fault("rename", 0, count)) return -1;
  }
  return static_cast<int>(syscall(SYS_renameat2, at, from, into, to, 0));
}

/// As the C library writes a regular file: until a write fails. Its own calls of the system cannot be taken the place of.
ssize_t write_output(void* /*cookie*/, const char* data, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const Part rest{data + done, bytes - done};
    const ssize_t written = write_parts(standard_output, &rest, 1, -1);
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  return static_cast<ssize_t>(done);
}

[[gnu::constructor]] void take_standard_output() {
  if (setting().folder == nullptr) return;
  char path[4096];
  const long size = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/fd/1", path, sizeof path - 1);
  if (size <= 0) return;
  path[size] = '\0';
  if (!Path(AT_FDCWD, path).inside) return;
  files[standard_output].number = ++opened;
  report("open", files[standard_output].number, 1, path);
  cookie_io_functions_t functions{};
  functions.write = write_output;
  stdout = ::fopencookie(nullptr, "w", functions);
}

}  // namespace

#define EXPORT extern "C" [[gnu::visibility("default")]]

EXPORT int open(const char* path, int flags, unsigned mode) { return open_file(AT_FDCWD, path, flags, mode); }
EXPORT int open64(const char* path, int flags, unsigned mode) { return open_file(AT_FDCWD, path, flags, mode); }
EXPORT int __open_2(const char* path, int flags) { return open_file(AT_FDCWD, path, flags, 0); }
EXPORT int __open64_2(const char* path, int flags) { return open_file(AT_FDCWD, path, flags, 0); }
EXPORT int openat(int at, const char* path, int flags, unsigned mode) { return open_file(at, path, flags, mode); }
EXPORT int openat64(int at, const char* path, int flags, unsigned mode) { return open_file(at, path, flags, mode); }
EXPORT ssize_t write(int file, const void* data, std::size_t bytes) {
  const Part part{static_cast<const char*>(data), bytes};
  return write_parts(file, &part, 1, -1);
}
EXPORT ssize_t writev(int file, const Part* parts, int count) { return write_parts(file, parts, count, -1); }
EXPORT ssize_t pwrite(int file, const void* data, std::size_t bytes, off_t at) {
  const Part part{static_cast<const char*>(data), bytes};
  return write_parts(file, &part, 1, at);
}
EXPORT ssize_t pwrite64(int file, const void* data, std::size_t bytes, off_t at) {
  return pwrite(file, data, bytes, at);
}
EXPORT ssize_t pwritev(int file, const Part* parts, int count, off_t at) { return write_parts(file, parts, count, at); }
EXPORT ssize_t pwritev64(int file, const Part* parts, int count, off_t at) {
  return write_parts(file, parts, count, at);
}
EXPORT int fsync(int file) {
  return call_of("fsync", file, [=] { return static_cast<int>(syscall(SYS_fsync, file)); });
}
EXPORT int fdatasync(int file) { return fsync(file); }
EXPORT int close(int file) {
  const auto close_it = [=] {
    if (file >= 0 && file < most_descriptors) files[file].number = 0;
    return static_cast<int>(syscall(SYS_close, file));
  };
  if (number_of(file) == a_folder) return close_it();
  const int done = call_of("close", file, close_it);
  const int failure = errno;
  if (done != 0 && number_of(file) != 0) close_it();  // a close that fails has closed, too
  errno = failure;
  return done;
}
EXPORT int fchmod(int file, unsigned mode) {
  return call_of("fchmod", file, [=] { return static_cast<int>(syscall(SYS_fchmod, file, mode)); });
}
EXPORT int fallocate(int file, int mode, off_t at, off_t bytes) {
  return call_of("fallocate", file, [=] { return static_cast<int>(syscall(SYS_fallocate, file, mode, at, bytes)); });
}
EXPORT int fallocate64(int file, int mode, off_t at, off_t bytes) { return fallocate(file, mode, at, bytes); }
EXPORT int rename(const char* from, const char* to) { return rename_file(AT_FDCWD, from, AT_FDCWD, to); }
EXPORT int renameat(int at, const char* from, int into, const char* to) { return rename_file(at, from, into, to); }
