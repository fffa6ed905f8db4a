// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "domain.hpp"

// Images and checkpoints for Python; halocline/_files.py makes Python's interface of them. Streams are ordered as in DomainHandle::exchange.
namespace halocline::python {

/// What a forked process has inherited is not destroyed: the threads that it would wait for do not exist there.
template <typename T>
class OfThisProcess {
 public:
  explicit OfThisProcess(std::unique_ptr<T> value) : value_(std::move(value)), process_(::getpid()) {}
  OfThisProcess(const OfThisProcess&) = delete;
  OfThisProcess& operator=(const OfThisProcess&) = delete;
  ~OfThisProcess() {
    if (process_ != ::getpid()) static_cast<void>(value_.release());
  }
  T* operator->() const { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
  pid_t process_;
};

/// Fields by number; none: all.
using FieldNumbers = std::vector<std::int64_t>;

class OutputHandle {
 public:
  OutputHandle(DomainHandle& domain, const std::string& series, const std::array<double, 3>& origin,
               const std::array<double, 3>& spacing, const FieldNumbers& fields, bool resume);
  void start(std::int64_t step, double time, std::uintptr_t stream, bool keep, bool wait);
  void finish();

 private:
  DomainHandle* domain_;
  OfThisProcess<Output> output_;
};

/// Metadata, the manifest, and why newer checkpoints were refused.
using RestoredParts = std::tuple<Metadata, std::string, std::vector<std::string>>;

class CheckpointsHandle {
 public:
  CheckpointsHandle(DomainHandle& domain, const std::string& folder, int generations, const FieldNumbers& fields,
                    bool all_buffers, double most_bytes_per_second);
  void start(const Metadata& metadata, std::uintptr_t stream, bool keep, bool wait);
  void finish();
  std::optional<RestoredParts> restore(std::uintptr_t stream, bool keep, bool wait);

 private:
  DomainHandle* domain_;
  OfThisProcess<Checkpoints> checkpoints_;
};

void add_files(nb::module_& module);

}  // namespace halocline::python
