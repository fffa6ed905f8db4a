// SPDX-License-Identifier: BSD-3-Clause
// The exchange packed by hand: one persistent message a neighbour that holds all directions towards it; halos that the rank
// fills itself are copied from row to row.
#include <algorithm>
#include <vector>

#include "dense_block.hpp"

namespace halocline::bench {
namespace {

class Packed final : public DenseBlock {
 public:
  explicit Packed(const Workload& workload) : DenseBlock(workload) {
    for (const Direction d : all_directions) {
      if (neighbour(d) == rank()) {
        local_.push_back(d);
        continue;
      }
      message_with(neighbour(d)).towards.push_back(d);
      message_with(neighbour(d.opposite())).arriving.push_back(d);
    }
    for (Message& m : messages_) {
      m.send.resize(cells_of(m.towards));
      m.receive.resize(cells_of(m.arriving));
      requests_.push_back(MPI_REQUEST_NULL);
      MPI_Recv_init(m.receive.data(), static_cast<int>(m.receive.size()), MPI_DOUBLE, m.peer, 0, MPI_COMM_WORLD,
                    &requests_.back());
    }
    for (Message& m : messages_) {
      requests_.push_back(MPI_REQUEST_NULL);
      MPI_Send_init(m.send.data(), static_cast<int>(m.send.size()), MPI_DOUBLE, m.peer, 0, MPI_COMM_WORLD,
                    &requests_.back());
    }
  }
  ~Packed() override {
    for (auto& request : requests_) MPI_Request_free(&request);
  }
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;

  [[nodiscard]] std::string name() const override { return "MPI packed by hand"; }

  void exchange() override {
    const auto count = messages_.size();
    const int all = static_cast<int>(count);
    MPI_Startall(all, requests_.data());
    for (std::size_t i = 0; i < count; ++i) {
      pack(messages_[i]);
      MPI_Start(&requests_[count + i]);
    }
    for (const Direction d : local_) wrap(d);
    for (int left = all; left > 0; --left) {
      int arrived = 0;
      MPI_Waitany(all, requests_.data(), &arrived, MPI_STATUS_IGNORE);
      unpack(messages_[static_cast<std::size_t>(arrived)]);
    }
    MPI_Waitall(all, requests_.data() + count, MPI_STATUSES_IGNORE);
  }

 private:
  struct Message {
    int peer = 0;
    std::vector<Direction> towards;   ///< sent, in the order of their indices; the receiver's `arriving` is the same
    std::vector<Direction> arriving;  ///< the directions that they were sent in
    std::vector<double> send;
    std::vector<double> receive;
  };

  Message& message_with(int peer) {
    const auto found = std::find_if(messages_.begin(), messages_.end(), [&](const auto& m) { return m.peer == peer; });
    if (found != messages_.end()) return *found;
    messages_.emplace_back().peer = peer;
    return messages_.back();
  }
  [[nodiscard]] std::size_t cells_of(const std::vector<Direction>& directions) const {
    std::int64_t cells = 0;
    for (const Direction d : directions) cells += sent_towards(d).size.volume();
    return static_cast<std::size_t>(cells);
  }
  /// row(address of a row's first cell in the array)
  template <typename Row>
  void for_each_row(const Part& part, const Row& row) {
    for (std::int64_t z = 0; z < part.size.z; ++z) {
      for (std::int64_t y = 0; y < part.size.y; ++y) row(&cell(part.at + Vec3{0, y, z}));
    }
  }
  void pack(Message& m) {
    double* to = m.send.data();
    for (const Direction d : m.towards) {
      const Part part = sent_towards(d);
      for_each_row(part, [&](const double* from) { to = std::copy_n(from, part.size.x, to); });
    }
  }
  void unpack(const Message& m) {
    const double* from = m.receive.data();
    for (const Direction d : m.arriving) {
      const Part part = filled_by(d);
      for_each_row(part, [&](double* to) {
        std::copy_n(from, part.size.x, to);
        from += part.size.x;
      });
    }
  }
  void wrap(Direction d) {
    const Part from = sent_towards(d);
    const Part to = filled_by(d);
    for (std::int64_t z = 0; z < from.size.z; ++z) {
      for (std::int64_t y = 0; y < from.size.y; ++y) {
        std::copy_n(&cell(from.at + Vec3{0, y, z}), from.size.x, &cell(to.at + Vec3{0, y, z}));
      }
    }
  }

  std::vector<Direction> local_;
  std::vector<Message> messages_;
  std::vector<MPI_Request> requests_;  ///< receives, then sends
};

}  // namespace

std::unique_ptr<Contender> make_packed(const Workload& workload) { return std::make_unique<Packed>(workload); }

}  // namespace halocline::bench
