// SPDX-License-Identifier: BSD-3-Clause
#include "outputs.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "comm/agree.hpp"
#include "comm/rank_group.hpp"
#include "halocline/error.hpp"
#include "io/write_file.hpp"

namespace cli {
namespace {

/// errno of the first failure on standard output.
int first_failure = 0;

void note(bool done) {
  if (!done && first_failure == 0) first_failure = errno;
}

/// Some file systems report failed writes when a file is closed; closing a copy of its descriptor reports them, too.
void close_copy_of_output() {
  const int copy = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (copy >= 0) note(::close(copy) == 0 || errno == EINTR);
}

}  // namespace

void hold_standard_descriptors() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest number that is free is this one.
    if (::fcntl(file, F_GETFD) < 0) static_cast<void>(::open("/dev/null", file == STDERR_FILENO ? O_WRONLY : O_RDONLY));
  }
}

void print_out(std::string_view text) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away makes the write fail instead of ending the process
  if (first_failure == 0) note(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

void flush_out() {
  if (first_failure == 0) note(std::fflush(stdout) == 0);
}

void finish_output() {
  flush_out();
  if (first_failure == 0) close_copy_of_output();
  if (first_failure == 0) return;
  if (first_failure == EPIPE) return;  // the reader has what it wanted, as in `halocline ... | head`
  throw halocline::ResourceError(fmt::format("standard output cannot be written: {}", std::strerror(first_failure)));
}

void check_output(Context& context, const std::string& option, const std::string& path) {
  halocline::comm::agree_on(context.world, [&] {
    if (context.root()) halocline::io::check_writable(option, path);
  });
}

void write_output(Context& context, const std::string& option, const std::string& path, std::string_view content) {
  halocline::comm::agree_on(context.world, [&] {
    if (context.root()) halocline::io::write_file(option, path, content);
  });
}

}  // namespace cli
