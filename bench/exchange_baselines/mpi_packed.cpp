// SPDX-License-Identifier: BSD-3-Clause
// The exchange packed by hand, one message a neighbour: persistent messages, and a neighbourhood collective.
#include <vector>

#include "packed_block.hpp"

namespace halocline::bench {
namespace {

class Packed final : public PackedBlock {
 public:
  explicit Packed(const Workload& workload)
      : PackedBlock(workload), send_(messages().size()), receive_(messages().size()) {
    for (std::size_t i = 0; i < messages().size(); ++i) {
      const Message& m = messages()[i];
      receive_[i].resize(static_cast<std::size_t>(m.received));
      MPI_Recv_init(receive_[i].data(), static_cast<int>(m.received), MPI_DOUBLE, m.peer, 0, MPI_COMM_WORLD,
                    &requests_.emplace_back(MPI_REQUEST_NULL));
    }
    for (std::size_t i = 0; i < messages().size(); ++i) {
      const Message& m = messages()[i];
      send_[i].resize(static_cast<std::size_t>(m.sent));
      MPI_Send_init(send_[i].data(), static_cast<int>(m.sent), MPI_DOUBLE, m.peer, 0, MPI_COMM_WORLD,
                    &requests_.emplace_back(MPI_REQUEST_NULL));
    }
  }
  ~Packed() override {
    for (auto& request : requests_) MPI_Request_free(&request);
  }
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;

  [[nodiscard]] std::string name() const override { return "MPI packed by hand"; }

  void exchange() override {
    const auto count = messages().size();
    const int all = static_cast<int>(count);
    if (all > 0) MPI_Startall(all, requests_.data());  // Open MPI refuses an empty list
    for (std::size_t i = 0; i < count; ++i) {
      pack(messages()[i], send_[i].data());
      MPI_Start(&requests_[count + i]);
    }
    wrap();
    for (int left = all; left > 0; --left) {
      int arrived = 0;
      MPI_Waitany(all, requests_.data(), &arrived, MPI_STATUS_IGNORE);
      unpack(messages()[static_cast<std::size_t>(arrived)], receive_[static_cast<std::size_t>(arrived)].data());
    }
    MPI_Waitall(all, requests_.data() + count, MPI_STATUSES_IGNORE);
  }

 private:
  std::vector<std::vector<double>> send_;
  std::vector<std::vector<double>> receive_;
  std::vector<MPI_Request> requests_;  ///< receives, then sends
};

class PackedNeighbourhood final : public PackedBlock {
 public:
  explicit PackedNeighbourhood(const Workload& workload) : PackedBlock(workload) {
    std::vector<int> peers;
    int sent = 0;
    int received = 0;
    for (const Message& m : messages()) {
      peers.push_back(m.peer);
      send_counts_.push_back(static_cast<int>(m.sent));
      send_begins_.push_back(sent);
      receive_counts_.push_back(static_cast<int>(m.received));
      receive_begins_.push_back(received);
      sent += send_counts_.back();
      received += receive_counts_.back();
    }
    send_.resize(static_cast<std::size_t>(sent));
    receive_.resize(static_cast<std::size_t>(received));
    const int count = static_cast<int>(peers.size());
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, count, peers.data(), MPI_UNWEIGHTED, count, peers.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_);
  }
  ~PackedNeighbourhood() override { MPI_Comm_free(&graph_); }
  PackedNeighbourhood(const PackedNeighbourhood&) = delete;
  PackedNeighbourhood& operator=(const PackedNeighbourhood&) = delete;

  [[nodiscard]] std::string name() const override { return "MPI neighbourhood alltoallv"; }

  void exchange() override {
    for (std::size_t i = 0; i < messages().size(); ++i) pack(messages()[i], send_.data() + send_begins_[i]);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ineighbor_alltoallv(send_.data(), send_counts_.data(), send_begins_.data(), MPI_DOUBLE, receive_.data(),
                            receive_counts_.data(), receive_begins_.data(), MPI_DOUBLE, graph_, &request);
    wrap();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < messages().size(); ++i) unpack(messages()[i], receive_.data() + receive_begins_[i]);
  }

 private:
  std::vector<int> send_counts_, send_begins_, receive_counts_, receive_begins_;
  std::vector<double> send_;
  std::vector<double> receive_;
  MPI_Comm graph_ = MPI_COMM_NULL;
};

}  // namespace

std::unique_ptr<Contender> make_packed(const Workload& workload) { return std::make_unique<Packed>(workload); }
std::unique_ptr<Contender> make_packed_neighbourhood(const Workload& workload) {
  return std::make_unique<PackedNeighbourhood>(workload);
}

}  // namespace halocline::bench
