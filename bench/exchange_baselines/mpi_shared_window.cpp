// SPDX-License-Identifier: BSD-3-Clause
// The exchange within a node as written by hand: all blocks are in shared memory, and each rank copies its cells into its neighbours' halos,
// after all have read their halos, and before all go on. And the same copies, with short rows fetched ahead, for which nobody
// waits: no exchange, but a ceiling.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/anonymous_file.hpp"
#include "dense_block.hpp"
#include "meeting.hpp"

namespace halocline::bench {
namespace {

/// Memory that all ranks reach, a block of each.
class Blocks {
 public:
  virtual ~Blocks() = default;
  std::vector<double*> of;  ///< by rank
};

class Window final : public Blocks {
 public:
  explicit Window(std::int64_t cells) {
    double* own = nullptr;
    MPI_Win_allocate_shared(static_cast<MPI_Aint>(sizeof(double)) * cells, sizeof(double), MPI_INFO_NULL,
                            MPI_COMM_WORLD, &own, &window_);
    std::fill_n(own, cells, 0.0);
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      MPI_Aint bytes = 0;
      int unit = 0;
      double* at = nullptr;
      MPI_Win_shared_query(window_, rank, &bytes, &unit, &at);
      of.push_back(at);
    }
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    MPI_Win_sync(window_);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Window() override {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

 private:
  MPI_Win window_ = MPI_WIN_NULL;
};

/// As Halocline's host devices allocate it.
class Files final : public Blocks {
 public:
  explicit Files(std::int64_t cells) : own_(sizeof(double) * static_cast<std::size_t>(cells)) {
    int ranks = 0;
    int me = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    std::vector<AnonymousFileHandle> handles(static_cast<std::size_t>(ranks));
    AnonymousFileHandle mine = own_.handle();
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, handles.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
    for (int rank = 0; rank < ranks; ++rank) {
      if (rank != me) others_.push_back(AnonymousFile::open(handles[static_cast<std::size_t>(rank)]));
      of.push_back(reinterpret_cast<double*>((rank == me ? own_ : others_.back()).data()));
    }
    MPI_Barrier(MPI_COMM_WORLD);  // a rank's file may be opened while the rank has it
  }

 private:
  AnonymousFile own_;
  std::vector<AnonymousFile> others_;
};

/// A block that its neighbours reach.
class SharedBlock : public DenseBlock {
 public:
  SharedBlock(const Workload& workload, std::unique_ptr<Blocks> blocks)
      : DenseBlock(workload), blocks_(std::move(blocks)) {
    keep_cells_at(blocks_->of[static_cast<std::size_t>(rank())]);
  }

 protected:
  [[nodiscard]] static std::int64_t cells_of(const Workload& workload) {
    return (workload.cells + Vec3::filled(2 * workload.radius)).volume();
  }
  [[nodiscard]] const Blocks& blocks() const { return *blocks_; }
  [[nodiscard]] double* block_towards(Direction d) const {
    return blocks_->of[static_cast<std::size_t>(neighbour(rank(), d))];
  }

 private:
  std::unique_ptr<Blocks> blocks_;
};

class SharedWindow final : public SharedBlock {
 public:
  explicit SharedWindow(const Workload& workload)
      : SharedBlock(workload, std::make_unique<Window>(cells_of(workload) + Meeting::cells_of_counter)),
        meet_(blocks().of.front() + cells_of(workload), static_cast<int>(blocks().of.size())) {}

  [[nodiscard]] std::string name() const override { return "shared window by hand"; }
  void exchange() override {
    meet_();
    for (const Direction d : all_directions) copy_towards(d, block_towards(d));
    meet_();
  }

 private:
  Meeting meet_;  ///< behind the first rank's block
};

class CopiesAlone final : public SharedBlock {
 public:
  explicit CopiesAlone(const Workload& workload) : SharedBlock(workload, std::make_unique<Files>(cells_of(workload))) {}
  [[nodiscard]] std::string name() const override { return "copies alone, a ceiling"; }
  void exchange() override {
    for (const Direction d : all_directions) {
      switch (sent_towards(d).size.x) {
        case 1: copy_rows<1>(d); break;
        case 2: copy_rows<2>(d); break;
        case 3: copy_rows<3>(d); break;
        default: copy_towards(d, block_towards(d));
      }
    }
  }

 private:
  /// Short rows cost a cache miss each, which hardware does not see coming.
  static constexpr std::int64_t rows_ahead = 24;

  /// Of rows of so many cells.
  template <std::size_t Cells>
  void copy_rows(Direction d) {
    const Part from = sent_towards(d);
    const std::int64_t row = extent().x;
    for (std::int64_t z = 0; z < from.size.z; ++z) {
      const double* source = &cell(from.at + Vec3{0, 0, z});
      double* target = block_towards(d) + offset(filled_by(d).at + Vec3{0, 0, z});
      for (std::int64_t y = 0; y < from.size.y; ++y, source += row, target += row) {
        __builtin_prefetch(source + rows_ahead * row, 0);
        __builtin_prefetch(target + rows_ahead * row, 1);
        std::memcpy(target, source, Cells * sizeof(double));
      }
    }
  }
};

}  // namespace

std::unique_ptr<Contender> make_shared_window(const Workload& workload) {
  return std::make_unique<SharedWindow>(workload);
}

std::unique_ptr<Contender> make_copies_alone(const Workload& workload) {
  return std::make_unique<CopiesAlone>(workload);
}

}  // namespace halocline::bench
