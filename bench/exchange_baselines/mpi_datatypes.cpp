// SPDX-License-Identifier: BSD-3-Clause
// The exchange with derived datatypes: a dense array with halos, one subarray datatype a direction, no packing by hand.
#include <array>

#include "dense_block.hpp"

namespace halocline::bench {
namespace {

class Datatypes : public DenseBlock {
 public:
  explicit Datatypes(const Workload& workload) : DenseBlock(workload) {
    for (const Direction d : all_directions) {
      const auto i = static_cast<std::size_t>(d.index());
      to_[i] = neighbour(rank(), d);
      from_[i] = neighbour(rank(), d.opposite());
      send_[i] = subarray(sent_towards(d));
      receive_[i] = subarray(filled_by(d));
    }
  }
  ~Datatypes() override {
    for (auto& type : send_) MPI_Type_free(&type);
    for (auto& type : receive_) MPI_Type_free(&type);
  }

 protected:
  std::array<int, 26> to_{};
  std::array<int, 26> from_{};
  std::array<MPI_Datatype, 26> send_{};
  std::array<MPI_Datatype, 26> receive_{};

 private:
  [[nodiscard]] MPI_Datatype subarray(const Part& box) const {
    const auto reversed = [](const Vec3& v) {
      return std::array<int, 3>{static_cast<int>(v.z), static_cast<int>(v.y), static_cast<int>(v.x)};
    };
    const auto whole = reversed(extent());
    const auto part = reversed(box.size);
    const auto first = reversed(box.at);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(3, whole.data(), part.data(), first.data(), MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
  }
};

class Subarrays final : public Datatypes {
 public:
  using Datatypes::Datatypes;
  [[nodiscard]] std::string name() const override { return "MPI subarrays, Isend/Irecv"; }
  void exchange() override {
    std::array<MPI_Request, 52> requests{};
    for (std::size_t i = 0; i < 26; ++i) {
      MPI_Irecv(data(), 1, receive_[i], from_[i], static_cast<int>(i), MPI_COMM_WORLD, &requests[i]);
    }
    for (std::size_t i = 0; i < 26; ++i) {
      MPI_Isend(data(), 1, send_[i], to_[i], static_cast<int>(i), MPI_COMM_WORLD, &requests[26 + i]);
    }
    MPI_Waitall(52, requests.data(), MPI_STATUSES_IGNORE);
  }
};

class Neighbourhood final : public Datatypes {
 public:
  explicit Neighbourhood(const Workload& workload) : Datatypes(workload) {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 26, from_.data(), MPI_UNWEIGHTED, 26, to_.data(), MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph_);
  }
  ~Neighbourhood() override { MPI_Comm_free(&graph_); }
  [[nodiscard]] std::string name() const override { return "MPI neighbourhood alltoallw"; }
  /// Sent and received cells never overlap, but MPI forbids one buffer as both arguments only where they do.
  void exchange() override {
    std::array<int, 26> counts{};
    counts.fill(1);
    const std::array<MPI_Aint, 26> displacements{};
    MPI_Neighbor_alltoallw(data(), counts.data(), displacements.data(), send_.data(), data(), counts.data(),
                           displacements.data(), receive_.data(), graph_);
  }

 private:
  MPI_Comm graph_ = MPI_COMM_NULL;
};

}  // namespace

std::unique_ptr<Contender> make_subarrays(const Workload& workload) { return std::make_unique<Subarrays>(workload); }
std::unique_ptr<Contender> make_neighbourhood(const Workload& workload) {
  return std::make_unique<Neighbourhood>(workload);
}

}  // namespace halocline::bench
