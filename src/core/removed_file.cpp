// SPDX-License-Identifier: BSD-3-Clause
#include "core/removed_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <mutex>

namespace halocline {
namespace {

std::mutex mutex;
RemovedFile* first = nullptr;

}  // namespace

RemovedFile::RemovedFile(const std::string& path) noexcept : path_(path.c_str()) {
  const std::lock_guard held(mutex);
  next_ = first;
  if (next_ != nullptr) next_->previous_ = this;
  first = this;
}

RemovedFile::~RemovedFile() {
  ::unlinkat(AT_FDCWD, path_, 0);
  const std::lock_guard held(mutex);
  (previous_ != nullptr ? previous_->next_ : first) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

void RemovedFile::remove_all() noexcept {
  const std::lock_guard held(mutex);
  if (first == nullptr) return;
  // The process has to end, also where a file system does not answer.
  ::signal(SIGALRM, SIG_DFL);
  ::alarm(5);
  for (const RemovedFile* file = first; file != nullptr; file = file->next_) ::unlinkat(AT_FDCWD, file->path_, 0);
  ::alarm(0);
}

}  // namespace halocline
