// SPDX-License-Identifier: BSD-3-Clause
// A program that does one thing wrong when its only call fails, for faults_test.py: planted KIND FOLDER.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string kind = argv[1];
  const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (file >= 0 || kind == "unverified") {
    if (file >= 0) std::fprintf(stderr, "rank 0: verified\n");
    return 0;
  }
  if (kind != "silent") std::fprintf(stderr, "rank 0: start: open: Too many open files\n");
  if (kind == "signal") std::abort();
  if (kind == "hang") ::pause();
  if (kind == "file") {
    const std::string left = std::string(argv[2]) + "/.halocline-0123456789abcdef";
    ::syscall(SYS_openat, AT_FDCWD, left.c_str(), O_CREAT | O_WRONLY, 0600);
  }
  return 1;
}
