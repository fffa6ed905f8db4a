// SPDX-License-Identifier: BSD-3-Clause
#include "comm/store/failure.hpp"

#include <fmt/core.h>

#include <exception>
#include <tuple>

#include "comm/agree.hpp"
#include "core/serialise.hpp"
#include "halocline/error.hpp"

namespace halocline::comm::store {
namespace {

std::string key(const std::string& group, int from, int to) { return fmt::format("{}/failed/{}>{}", group, from, to); }

}  // namespace

void send_failure(Store& store, const std::string& group, int rank, int size) noexcept {
  try {
    const std::exception_ptr error = std::current_exception();
    if (!error) return;
    const std::vector<std::byte> bytes = to_bytes(failure_of(error));
    for (int other = 0; other < size; ++other) {
      if (other != rank) store.set(key(group, rank, other), bytes);
    }
  } catch (...) {  // the store is gone, or there is no memory
  }
}

void throw_failure(Store& store, const std::string& group, int from, int rank) {
  const auto bytes = store.take(key(group, from, rank));
  if (!bytes) return;
  const auto failure = from_bytes<Failure>(*bytes);
  throw_error(static_cast<ErrorKind>(failure.kind), fmt::format("rank {}: {}", from, failure.message));
}

}  // namespace halocline::comm::store
