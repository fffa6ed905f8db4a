#include "halocline/mapping/communication_matrix.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "halocline/core/error.hpp"

namespace halocline::mapping {
namespace {

void check_rank(const char* what, int rank, int ranks) {
  if (rank < 0 || rank >= ranks) {
    throw InvalidArgument(fmt::format("{} is rank {}; allowed is 0 to {}", what, rank, ranks - 1));
  }
}

void check_not_negative(const char* what, std::int64_t value) {
  if (value < 0) throw InvalidArgument(fmt::format("{} is {}; allowed is 0 or more", what, value));
}

}  // namespace

CommunicationMatrix::CommunicationMatrix(int ranks) {
  if (ranks < 1) {
    throw InvalidArgument(fmt::format("a communication matrix of {} ranks; allowed is 1 or more", ranks));
  }
  rows_.resize(static_cast<std::size_t>(ranks));
}

void CommunicationMatrix::add(int from, int to, std::int64_t bytes, std::int64_t messages) {
  check_rank("the sender", from, ranks());
  check_rank("the receiver", to, ranks());
  check_not_negative("the number of bytes", bytes);
  check_not_negative("the number of messages", messages);
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

std::int64_t CommunicationMatrix::total_bytes() const {
  std::int64_t total = 0;
  for (const auto& row : rows_) {
    for (const Flow& flow : row) total += flow.bytes;
  }
  return total;
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
