// SPDX-License-Identifier: BSD-3-Clause
// The exchange by leaders, as written by hand: all ranks of a node pack into a window of the node's shared memory, its first rank
// sends one message to each other node and receives one from each, and all ranks unpack from the window. Within a node the
// receiver unpacks from the sender's part of the window.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "meeting.hpp"
#include "packed_block.hpp"

namespace halocline::bench {
namespace {

class Leaders final : public PackedBlock {
 public:
  Leaders(const Workload& workload, NodeBarrier barrier) : PackedBlock(workload), barrier_(barrier) {
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node_comm_);
    MPI_Comm_rank(node_comm_, &node_rank_);
    MPI_Comm_size(node_comm_, &node_size_);
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<int> leader_of(static_cast<std::size_t>(ranks));  // by rank: the first rank of its node
    int leader = rank();
    MPI_Bcast(&leader, 1, MPI_INT, 0, node_comm_);
    MPI_Allgather(&leader, 1, MPI_INT, leader_of.data(), 1, MPI_INT, MPI_COMM_WORLD);
    lay_out(leader, leader_of);
    share_window();
    make_requests();
    MPI_Barrier(node_comm_);
  }
  ~Leaders() override {
    for (auto& request : requests_) MPI_Request_free(&request);
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
    MPI_Comm_free(&node_comm_);
  }
  Leaders(const Leaders&) = delete;
  Leaders& operator=(const Leaders&) = delete;

  [[nodiscard]] std::string name() const override {
    return barrier_ == NodeBarrier::mpi ? "leaders by hand, MPI_Barrier" : "leaders by hand, atomics";
  }

  void exchange() override {
    for (std::size_t i = 0; i < messages().size(); ++i) pack(messages()[i], base_ + places_[i].out);
    meet();  // all is packed, and all of the last exchange is unpacked
    if (!requests_.empty()) MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
    wrap();
    unpack_all(true);
    if (!requests_.empty()) MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    meet();  // all is here, and all within the node is unpacked
    unpack_all(false);
  }

 private:
  /// Where a message of this rank is packed, and where its opposite is unpacked from; in cells of the window.
  struct Place {
    std::int64_t out = 0;
    std::int64_t in = 0;
    bool in_node = false;
  };
  struct Transfer {
    std::int64_t begin = 0;
    std::int64_t cells = 0;
  };
  static constexpr std::int64_t cells_of_counter = Meeting::cells_of_counter;  // before the cells

  /// All ranks compute the same places: messages within the node and to other nodes, ordered by sender and receiver; then messages from
  /// other nodes in the order in which those send them.
  void lay_out(int leader, const std::vector<int>& leader_of) {
    std::map<std::pair<int, int>, std::pair<std::int64_t, std::int64_t>>
        of_pair;                                           // place and node of message (from, to)
    std::map<int, std::vector<std::pair<int, int>>> sent;  // by the other node's leader
    std::map<int, std::vector<std::pair<int, int>>> received;
    std::map<std::pair<int, int>, std::int64_t> cells;
    for (int from = 0; from < static_cast<int>(leader_of.size()); ++from) {
      for (const Message& m : messages_of(from)) {
        const int sender = leader_of[static_cast<std::size_t>(from)];
        const int receiver = leader_of[static_cast<std::size_t>(m.peer)];
        if (sender != leader && receiver != leader) continue;
        cells[{from, m.peer}] = m.sent;
        if (sender == leader) sent[receiver].emplace_back(from, m.peer);
        else received[sender].emplace_back(from, m.peer);
      }
    }
    std::map<std::pair<int, int>, std::int64_t> place;
    for (auto* side : {&sent, &received}) {
      for (const auto& [other, pairs] : *side) {
        const std::int64_t begin = cells_;
        for (const auto& pair : pairs) {
          place[pair] = cells_;
          cells_ += cells[pair];
        }
        if (other != leader) (side == &sent ? sends_ : receives_)[other] = {begin, cells_ - begin};
      }
    }
    for (const Message& m : messages()) {
      places_.push_back({place.at({rank(), m.peer}), place.at({m.peer, rank()}),
                         leader_of[static_cast<std::size_t>(m.peer)] == leader});
    }
  }

  void share_window() {
    const auto bytes = static_cast<MPI_Aint>(sizeof(double)) * (cells_of_counter + cells_);
    double* own = nullptr;
    MPI_Win_allocate_shared(node_rank_ == 0 ? bytes : 0, sizeof(double), MPI_INFO_NULL, node_comm_, &own, &window_);
    MPI_Aint size = 0;
    int unit = 0;
    double* first = nullptr;
    MPI_Win_shared_query(window_, 0, &size, &unit, &first);
    if (node_rank_ == 0) std::fill_n(first, cells_of_counter, 0.0);
    base_ = first + cells_of_counter;
    meeting_.emplace(first, node_size_);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    MPI_Win_sync(window_);
    MPI_Barrier(node_comm_);
  }

  void make_requests() {
    if (node_rank_ != 0) return;
    for (const auto& [other, transfer] : receives_) {
      MPI_Recv_init(base_ + transfer.begin, static_cast<int>(transfer.cells), MPI_DOUBLE, other, 0, MPI_COMM_WORLD,
                    &requests_.emplace_back(MPI_REQUEST_NULL));
    }
    for (const auto& [other, transfer] : sends_) {
      MPI_Send_init(base_ + transfer.begin, static_cast<int>(transfer.cells), MPI_DOUBLE, other, 0, MPI_COMM_WORLD,
                    &requests_.emplace_back(MPI_REQUEST_NULL));
    }
  }

  void meet() {
    if (barrier_ == NodeBarrier::mpi) {
      MPI_Win_sync(window_);
      MPI_Barrier(node_comm_);
      MPI_Win_sync(window_);
      return;
    }
    (*meeting_)();
  }

  void unpack_all(bool in_node) {
    for (std::size_t i = 0; i < messages().size(); ++i) {
      if (places_[i].in_node == in_node) unpack(messages()[i], base_ + places_[i].in);
    }
  }

  NodeBarrier barrier_;
  MPI_Comm node_comm_ = MPI_COMM_NULL;
  int node_rank_ = 0;
  int node_size_ = 1;
  MPI_Win window_ = MPI_WIN_NULL;
  double* base_ = nullptr;
  std::optional<Meeting> meeting_;
  std::int64_t cells_ = 0;
  std::vector<Place> places_;
  std::map<int, Transfer> sends_;  ///< by the other node's leader
  std::map<int, Transfer> receives_;
  std::vector<MPI_Request> requests_;  ///< receives, then sends; the leader's
};

}  // namespace

std::unique_ptr<Contender> make_leaders(const Workload& workload, NodeBarrier barrier) {
  return std::make_unique<Leaders>(workload, barrier);
}

}  // namespace halocline::bench
