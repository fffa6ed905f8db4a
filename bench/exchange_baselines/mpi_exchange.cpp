// The exchange as it is usually written: a dense array with halos, one subarray datatype a direction, no packing by
// hand.
#include <array>
#include <vector>

#include "contender.hpp"
#include "halocline/core/box.hpp"
#include "halocline/core/direction.hpp"

namespace halocline::bench {
namespace {

class Datatypes : public Contender {
 public:
  explicit Datatypes(const Workload& workload) : workload_(workload) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    const Vec3 halo = Vec3::filled(workload.radius);
    extent_ = workload.cells + halo + halo;
    cells_.resize(static_cast<std::size_t>(extent_.volume()));
    me_ = {rank_ % workload.grid.x, rank_ / workload.grid.x % workload.grid.y,
           rank_ / (workload.grid.x * workload.grid.y)};
    for (const Direction d : all_directions) {
      const auto i = static_cast<std::size_t>(d.index());
      Vec3 send;
      Vec3 receive;
      Vec3 size;
      for (int dim = 0; dim < 3; ++dim) {
        const std::int64_t r = workload.radius;
        size[dim] = d[dim] == 0 ? workload.cells[dim] : r;
        send[dim] = d[dim] > 0 ? workload.cells[dim] : r;
        // What is sent towards d arrives from -d: it fills the halo on side -d.
        receive[dim] = d[dim] == 0 ? r : (d[dim] > 0 ? 0 : r + workload.cells[dim]);
      }
      to_[i] = neighbour(d);
      from_[i] = neighbour(d.opposite());
      send_[i] = subarray(size, send);
      receive_[i] = subarray(size, receive);
    }
  }
  ~Datatypes() override {
    for (auto& type : send_) MPI_Type_free(&type);
    for (auto& type : receive_) MPI_Type_free(&type);
  }

  void fill() override {
    for_each_cell(Box::of_extent(extent_), [&](const Vec3& p) { cell(p) = owned(p) ? value_at(global(p)) : -1; });
    MPI_Barrier(MPI_COMM_WORLD);
  }
  [[nodiscard]] std::int64_t wrong_cells() override {
    std::int64_t wrong = 0;
    for_each_cell(Box::of_extent(extent_), [&](const Vec3& p) { wrong += cell(p) != value_at(global(p)) ? 1 : 0; });
    return wrong;
  }

 protected:
  std::vector<double> cells_;
  std::array<int, 26> to_{};
  std::array<int, 26> from_{};
  std::array<MPI_Datatype, 26> send_{};
  std::array<MPI_Datatype, 26> receive_{};

 private:
  [[nodiscard]] int neighbour(Direction d) const {
    Vec3 other = me_;
    for (int dim = 0; dim < 3; ++dim) {
      other[dim] = (me_[dim] + d[dim] + workload_.grid[dim]) % workload_.grid[dim];
    }
    return static_cast<int>((other.z * workload_.grid.y + other.y) * workload_.grid.x + other.x);
  }
  [[nodiscard]] MPI_Datatype subarray(const Vec3& size, const Vec3& start) const {
    const int whole[3] = {static_cast<int>(extent_.z), static_cast<int>(extent_.y), static_cast<int>(extent_.x)};
    const int part[3] = {static_cast<int>(size.z), static_cast<int>(size.y), static_cast<int>(size.x)};
    const int first[3] = {static_cast<int>(start.z), static_cast<int>(start.y), static_cast<int>(start.x)};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(3, whole, part, first, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
  }
  double& cell(const Vec3& p) { return cells_[static_cast<std::size_t>((p.z * extent_.y + p.y) * extent_.x + p.x)]; }
  [[nodiscard]] bool owned(const Vec3& p) const {
    const Vec3 r = Vec3::filled(workload_.radius);
    return Box{r, r + workload_.cells}.contains(p);
  }
  [[nodiscard]] Vec3 global(const Vec3& p) const {
    const Vec3 all = workload_.cells * workload_.grid;
    Vec3 g = p - Vec3::filled(workload_.radius) + me_ * workload_.cells;
    for (int dim = 0; dim < 3; ++dim) g[dim] = (g[dim] + all[dim]) % all[dim];
    return g;
  }
  Workload workload_;
  int rank_ = 0;
  Vec3 me_;
  Vec3 extent_;
};

class Subarrays final : public Datatypes {
 public:
  using Datatypes::Datatypes;
  [[nodiscard]] std::string name() const override { return "MPI subarrays, Isend/Irecv"; }
  void exchange() override {
    std::array<MPI_Request, 52> requests{};
    for (std::size_t i = 0; i < 26; ++i) {
      MPI_Irecv(cells_.data(), 1, receive_[i], from_[i], static_cast<int>(i), MPI_COMM_WORLD, &requests[i]);
    }
    for (std::size_t i = 0; i < 26; ++i) {
      MPI_Isend(cells_.data(), 1, send_[i], to_[i], static_cast<int>(i), MPI_COMM_WORLD, &requests[26 + i]);
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
  void exchange() override {
    std::array<int, 26> counts{};
    counts.fill(1);
    const std::array<MPI_Aint, 26> displacements{};
    MPI_Neighbor_alltoallw(cells_.data(), counts.data(), displacements.data(), send_.data(), cells_halo(),
                           counts.data(), displacements.data(), receive_.data(), graph_);
  }

 private:
  // Sent and received cells never overlap, but MPI forbids one buffer as both arguments only where they do.
  double* cells_halo() { return cells_.data(); }
  MPI_Comm graph_ = MPI_COMM_NULL;
};

}  // namespace

std::unique_ptr<Contender> make_subarrays(const Workload& workload) { return std::make_unique<Subarrays>(workload); }
std::unique_ptr<Contender> make_neighbourhood(const Workload& workload) {
  return std::make_unique<Neighbourhood>(workload);
}

}  // namespace halocline::bench
