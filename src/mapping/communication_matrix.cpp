// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/communication_matrix.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/limits.hpp"
#include "halocline/error.hpp"

namespace halocline::mapping {
namespace {

void check_rank(const char* what, int rank, int ranks) {
  if (rank < 0 || rank >= ranks) {
    throw InvalidArgument(fmt::format("{} is rank {}; allowed is 0 to {}", what, rank, ranks - 1));
  }
}

/// Of a number that is added to a sum, which is at most limits::matrix_sum.
void check_added(const char* what, std::int64_t value, std::int64_t sum) {
  if (value < 0) throw InvalidArgument(fmt::format("{} is {}; allowed is 0 or more", what, value));
  if (value <= limits::matrix_sum - sum) return;
  throw InvalidArgument(fmt::format("{} is {}, beside {} of the matrix's other flows; allowed is at most {} in all",
                                    what, value, sum, limits::matrix_sum));
}

}  // namespace

CommunicationMatrix::CommunicationMatrix(int ranks) {
  if (ranks < 1 || ranks > limits::ranks) {
    throw InvalidArgument(fmt::format("a communication matrix of {} ranks; allowed is 1 to {}", ranks, limits::ranks));
  }
  rows_.resize(static_cast<std::size_t>(ranks));
}

void CommunicationMatrix::add(int from, int to, std::int64_t bytes, std::int64_t messages) {
  check_rank("the sender", from, ranks());
  check_rank("the receiver", to, ranks());
  check_added("the number of bytes", bytes, total_bytes_);
  check_added("the number of messages", messages, total_messages_);
  total_bytes_ += bytes;
  total_messages_ += messages;
  auto& row = rows_[static_cast<std::size_t>(from)];
  const auto at = std::ranges::lower_bound(row, to, {}, &Flow::to);
  if (at != row.end() && at->to == to) {
    at->bytes += bytes;
    at->messages += messages;
  } else {
    row.insert(at, Flow{to, bytes, messages});
  }
}

std::int64_t CommunicationMatrix::bytes(int from, int to) const {
  const auto flows = row(from);
  const auto at = std::ranges::lower_bound(flows, to, {}, &Flow::to);
  return at != flows.end() && at->to == to ? at->bytes : 0;
}

CommunicationMatrix& CommunicationMatrix::operator+=(const CommunicationMatrix& other) {
  if (other.ranks() != ranks()) {
    throw InvalidArgument(
        fmt::format("a matrix of {} ranks is added to one of {}; allowed is as many", other.ranks(), ranks()));
  }
  for (int from = 0; from < ranks(); ++from) {
    for (const Flow& flow : other.row(from)) add(from, flow.to, flow.bytes, flow.messages);
  }
  return *this;
}

}  // namespace halocline::mapping
