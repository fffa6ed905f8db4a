// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "dense_block.hpp"

namespace halocline::bench {

/// A dense block with one message for each neighbour that holds all directions towards it, packed and unpacked row by row.
class PackedBlock : public DenseBlock {
 public:
  explicit PackedBlock(const Workload& workload);

 protected:
  struct Message {
    int peer = 0;
    std::vector<Direction> towards;   ///< sent, in the order of their indices; the receiver's `arriving` is the same
    std::vector<Direction> arriving;  ///< the directions that they were sent in
    std::int64_t sent = 0;            ///< cells
    std::int64_t received = 0;        ///< cells
  };

  /// By peer. Other ranks than this one's have the same function of their messages.
  [[nodiscard]] const std::vector<Message>& messages() const { return messages_; }
  /// Of any rank.
  [[nodiscard]] std::vector<Message> messages_of(int rank) const;

  void pack(const Message& m, double* to);
  void unpack(const Message& m, const double* from);
  /// Fills the halos whose cells are the rank's own.
  void wrap();

 private:
  template <typename Row>
  void for_each_row(const Part& part, const Row& row);

  std::vector<Direction> local_;
  std::vector<Message> messages_;
};

}  // namespace halocline::bench
