// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "comm/mpi_library.hpp"
#include "doctor/check.hpp"
#include "table.hpp"
#include "unknown_variables.hpp"

namespace cli::doctor {
namespace {

using namespace halocline;

/// Descriptors that a rank should have free: pipes and files of MPI and of GPU drivers, and two for each mapping of another
/// rank's memory while it is made.
constexpr int needed_files = 256;
/// What MPIs register with a network card for each rank.
constexpr std::size_t needed_locked = std::size_t{64} << 20;
/// What MPIs take of /dev/shm for each rank of a node. Open MPI 4.1 takes 4 MiB and its queues.
constexpr std::int64_t needed_shm = std::int64_t{8} << 20;
constexpr const char* shm = "/dev/shm";

/// Descriptors that this process can open now, up to a number.
int free_descriptors(int most) {
  std::vector<int> opened;
  while (static_cast<int>(opened.size()) < most) {
    const int fd = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) break;
    opened.push_back(fd);
  }
  for (const int fd : opened) ::close(fd);
  return static_cast<int>(opened.size());
}

std::string limit_text(rlim_t limit) {
  return limit == RLIM_INFINITY ? "unlimited" : fmt::format("{}", static_cast<std::uint64_t>(limit));
}

bool has_rdma() {
  std::error_code none;
  const std::filesystem::path folder("/sys/class/infiniband");
  return std::filesystem::is_directory(folder, none) && !std::filesystem::is_empty(folder, none);
}

/// A file without a name in a folder, backed with memory; closed in the destructor.
class Reserved {
 public:
  Reserved(const char* folder, std::int64_t bytes) {
    std::string path = fmt::format("{}/halocline-doctor-XXXXXX", folder);
    fd_ = ::mkstemp(path.data());
    if (fd_ < 0) {
      why_ = std::strerror(errno);
      return;
    }
    ::unlink(path.c_str());
    if (const int failed = ::posix_fallocate(fd_, 0, bytes); failed != 0) why_ = std::strerror(failed);
  }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  ~Reserved() {
    if (fd_ >= 0) ::close(fd_);
  }
  /// Empty if the memory is there.
  [[nodiscard]] const std::string& why_not() const { return why_; }

 private:
  int fd_ = -1;
  std::string why_;
};

}  // namespace

Finding try_variables(Subject& /*subject*/) {
  const std::vector<std::string> sentences = unknown_variables();
  if (!sentences.empty()) return broken(fmt::format("{}", fmt::join(sentences, "; ")), "unset or rename it");
  return works("every HALOCLINE_ variable that is set is read");
}

Finding try_open_files(Subject& /*subject*/) {
  const int free = free_descriptors(needed_files);
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (free >= needed_files) {
    return works(fmt::format("{} more were opened; the limit is {}", free, limit_text(limit.rlim_cur)));
  }
  return broken(fmt::format("only {} more could be opened, of {}: the limit is {}, at most {}", free, needed_files,
                            limit_text(limit.rlim_cur), limit_text(limit.rlim_max)),
                limit.rlim_max >= 4096
                    ? "ulimit -n 4096"
                    : "raise nofile in /etc/security/limits.conf, or docker run --ulimit nofile=4096");
}

Finding try_locked_memory(Subject& /*subject*/) {
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  if (!has_rdma())
    return skipped(fmt::format("no InfiniBand or RoCE card needs it; the limit is {}", limit_text(limit.rlim_cur)));
  void* memory = ::mmap(nullptr, needed_locked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return skipped("no memory to try it with");
  const bool locked = ::mlock(memory, needed_locked) == 0;
  const std::string why = locked ? "" : std::strerror(errno);
  ::munmap(memory, needed_locked);
  if (locked) return works(fmt::format("{} were locked", bytes_text(needed_locked)));
  return broken(
      fmt::format("{} cannot be locked ({}); the limit is {}", bytes_text(needed_locked), why,
                  limit_text(limit.rlim_cur)),
      "ulimit -l unlimited, or memlock in /etc/security/limits.conf; MPI registers memory with the network card");
}

Finding try_dev_shm(Subject& subject) {
  if (!comm::mpi_library().built) return skipped("Halocline does not use it, and MPI is not in this build");
  // All ranks of the node at the same time, as MPI does.
  std::optional<Reserved> reserved(std::in_place, shm, needed_shm);
  subject.node.barrier();
  const std::string why = reserved->why_not();
  reserved.reset();
  subject.node.barrier();
  struct statvfs status {};
  const std::string size = ::statvfs(shm, &status) == 0
                               ? bytes_text(static_cast<std::int64_t>(status.f_blocks * status.f_frsize))
                               : "not there";
  const std::string needed =
      fmt::format("{} for each of {}", bytes_text(needed_shm), plural(subject.node.size(), "rank"));
  if (why.empty()) return works(fmt::format("{} were reserved; it is {}", needed, size));
  return broken(fmt::format("{} cannot be reserved for MPI's messages within a node ({}); it is {}", needed, why, size),
                "mount -o remount,size=1g /dev/shm; in containers --shm-size=1g or --ipc=host");
}

}  // namespace cli::doctor
