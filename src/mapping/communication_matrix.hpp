// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace halocline::mapping {

/// The bytes and messages that one rank sends to another.
struct Flow {
  int to = 0;
  std::int64_t bytes = 0;
  std::int64_t messages = 0;
  friend bool operator==(const Flow&, const Flow&) = default;
};

/// How much each rank sends to each other rank in one run of a program: directed and sparse, a list of flows for each
/// rank.
class CommunicationMatrix {
 public:
  /// Throws InvalidArgument unless 1 <= ranks <= limits::ranks.
  explicit CommunicationMatrix(int ranks);

  [[nodiscard]] int ranks() const { return static_cast<int>(rows_.size()); }
  /// Adds to the flow from `from` to `to`; messages of a rank to itself count too. Throws InvalidArgument if a rank
  /// does not exist, if a number is negative, or if all bytes or all messages would exceed limits::matrix_sum.
  void add(int from, int to, std::int64_t bytes, std::int64_t messages = 1);
  /// Returns the flows that a rank sends, ascending by receiver.
  [[nodiscard]] std::span<const Flow> row(int from) const { return rows_.at(static_cast<std::size_t>(from)); }
  /// 0 if nothing is sent.
  [[nodiscard]] std::int64_t bytes(int from, int to) const;
  [[nodiscard]] std::int64_t total_bytes() const { return total_bytes_; }
  /// Adds all flows of another matrix. Throws InvalidArgument if the numbers of ranks differ.
  CommunicationMatrix& operator+=(const CommunicationMatrix& other);

  friend bool operator==(const CommunicationMatrix&, const CommunicationMatrix&) = default;

 private:
  std::vector<std::vector<Flow>> rows_;
  std::int64_t total_bytes_ = 0;
  std::int64_t total_messages_ = 0;
};

/// Comma-separated values, in one of two forms:
///  - sparse: a comment "# ranks N", the line "from,to,bytes,messages" (",messages" may be missing: 1 each), then a line a
///    flow, in any order, a pair at most once; without the comment the largest number determines the number of ranks;
///  - dense: N lines of N numbers, bytes; line i is what rank i sends; one message for each number above 0.
/// Spaces, empty lines and other comments ("# ...") do not count. name: of the file, for errors. Throws InvalidArgument
/// that names file, line, value and what is allowed; files of more than limits::ranks ranks are refused.
[[nodiscard]] CommunicationMatrix read_matrix(std::istream& in, const std::string& name);
/// Writes the sparse form, by sender and receiver, with the comment "# end" as its last line.
void write_matrix(std::ostream& out, const CommunicationMatrix& matrix);

/// The traffic between ranks, divided by the location of the sender's buffer: in memory of the host or of a device.
struct Communication {
  /// Throws InvalidArgument unless 1 <= ranks.
  explicit Communication(int ranks) : cpu(ranks), gpu(ranks) {}

  CommunicationMatrix cpu;
  CommunicationMatrix gpu;
  friend bool operator==(const Communication&, const Communication&) = default;
};

/// Reads both matrices of a job from one file: the sparse form, with the line
/// "from,to,cpu_bytes,cpu_messages,gpu_bytes,gpu_messages". The comment "# end" must be its last line, because a
/// truncated file would otherwise be read as one with less traffic. Throws the errors of read_matrix().
[[nodiscard]] Communication read_communication(std::istream& in, const std::string& name);
/// Writes by sender and receiver, with "# end". Throws InvalidArgument if the matrices have different numbers of ranks.
void write_communication(std::ostream& out, const Communication& communication);

}  // namespace halocline::mapping
