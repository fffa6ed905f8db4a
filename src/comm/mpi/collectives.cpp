// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <utility>

#include "comm/agree.hpp"
#include "comm/detail/arguments.hpp"
#include "comm/detail/reduce.hpp"
#include "comm/mpi/check.hpp"
#include "comm/mpi/mpi_communicator.hpp"
#include "core/checked.hpp"
#include "core/clock.hpp"
#include "core/leak.hpp"
#include "core/serialise.hpp"

// All memory that MPI reads and writes here belongs to an Operation, not to the caller: after a DeadlineError the
// caller frees its own memory, while MPI may still use the Operation's.
namespace halocline::comm::mpi {
namespace {

int to_count(std::uint64_t bytes, int largest_count) {
  if (bytes > static_cast<std::uint64_t>(largest_count)) {
    throw InternalError(fmt::format("{} bytes do not fit into MPI's count of up to {}", bytes, largest_count));
  }
  return static_cast<int>(bytes);
}

}  // namespace

template <typename Body>
auto MpiCommunicator::collective(std::string_view operation, Body&& body) {
  require_usable(operation);
  try {
    return body();
  } catch (...) {
    poison();
    throw;
  }
}

void MpiCommunicator::complete(const std::shared_ptr<Operation>& pending, std::string_view operation) {
  const auto done = [&] {
    if (!state_->usable()) throw_unusable(*state_, describe(*this, operation));
    int flag = 0;
    check(MPI_Test(&pending->request, &flag, MPI_STATUS_IGNORE), "MPI_Test of a collective");
    return flag != 0;
  };
  try {
    wait_for_others(*this, done, timeout(), describe(*this, operation));
  } catch (...) {
    leak(pending);
    throw;
  }
}

/// By a probe for a message that is never sent, unless a test was made since the last call.
void MpiCommunicator::make_progress() {
  attend();
  if (!state_->usable()) {
    throw_if_left(*state_, "another rank has left");
    return;
  }
  const std::uint64_t polls = state_->pending.polls();
  if (std::exchange(polls_, polls) != polls) return;
  constexpr int no_tag = 32767;
  int flag = 0;
  check(MPI_Iprobe(state_->rank, no_tag, state_->comm, &flag, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

void MpiCommunicator::barrier() {
  collective("barrier", [&] {
    auto pending = std::make_shared<Operation>();
    check(MPI_Ibarrier(state_->comm, &pending->request), "MPI_Ibarrier");
    complete(pending, "barrier");
  });
}

std::vector<std::byte> MpiCommunicator::broadcast_known(std::vector<std::byte> bytes, int root,
                                                        std::string_view operation) {
  auto pending = std::make_shared<Operation>();
  pending->in = std::move(bytes);
  pending->layout = std::make_unique<Layout>(pending->in.size(), state_->largest_count);
  check(MPI_Ibcast(pending->in.data(), pending->layout->count(), pending->layout->type(), root, state_->comm,
                   &pending->request),
        "MPI_Ibcast");
  complete(pending, operation);
  return std::move(pending->in);
}

void MpiCommunicator::broadcast(std::vector<std::byte>& bytes, rank_id root) {
  check_rank(*this, root, "broadcast");
  collective("broadcast", [&] {
    const int from = static_cast<int>(root.value());
    const auto length = broadcast_known(to_bytes(std::uint64_t{bytes.size()}), from, "broadcast");
    std::vector<std::byte> own = bytes;
    own.resize(from_bytes<std::uint64_t>(length));
    bytes = broadcast_known(std::move(own), from, "broadcast");
  });
}

std::vector<std::byte> MpiCommunicator::gather_equal(std::span<const std::byte> bytes, std::string_view operation) {
  auto pending = std::make_shared<Operation>();
  pending->in.assign(bytes.begin(), bytes.end());
  pending->out.resize(bytes.size() * static_cast<std::size_t>(size()));
  pending->layout = std::make_unique<Layout>(bytes.size(), state_->largest_count);
  const auto& layout = *pending->layout;
  check(MPI_Iallgather(pending->in.data(), layout.count(), layout.type(), pending->out.data(), layout.count(),
                       layout.type(), state_->comm, &pending->request),
        "MPI_Iallgather");
  complete(pending, operation);
  return std::move(pending->out);
}

std::vector<std::vector<std::byte>> MpiCommunicator::all_gather(std::span<const std::byte> bytes) {
  return collective("all_gather", [&] {
    const auto ranks = static_cast<std::size_t>(size());
    const std::uint64_t length = bytes.size();
    const auto gathered = gather_equal(std::as_bytes(std::span(&length, 1)), "all_gather");
    std::vector<std::uint64_t> lengths(ranks);
    std::memcpy(lengths.data(), gathered.data(), gathered.size());
    std::uint64_t total = 0;
    for (const auto one : lengths) total += one;

    std::vector<std::vector<std::byte>> all(ranks);
    if (total > static_cast<std::uint64_t>(state_->largest_count)) {
      // Offsets of a gather are ints, too; one broadcast for each rank needs none.
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        std::vector<std::byte> own(lengths[rank]);
        if (rank == this->rank().index()) own.assign(bytes.begin(), bytes.end());
        all[rank] = broadcast_known(std::move(own), static_cast<int>(rank), "all_gather");
      }
      return all;
    }
    auto pending = std::make_shared<Operation>();
    pending->in.assign(bytes.begin(), bytes.end());
    pending->out.resize(total);
    int offset = 0;
    for (const auto one : lengths) {
      pending->counts.push_back(to_count(one, state_->largest_count));
      pending->offsets.push_back(offset);
      offset = to_count(static_cast<std::uint64_t>(offset) + one, state_->largest_count);
    }
    check(MPI_Iallgatherv(pending->in.data(), static_cast<int>(length), MPI_BYTE, pending->out.data(),
                          pending->counts.data(), pending->offsets.data(), MPI_BYTE, state_->comm, &pending->request),
          "MPI_Iallgatherv");
    complete(pending, "all_gather");
    auto from = pending->out.cbegin();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto to = from + pending->counts[rank];
      all[rank].assign(from, to);
      from = to;
    }
    return all;
  });
}

void MpiCommunicator::all_reduce(std::span<double> values, Reduction reduction) {
  // Gathered and added in rank order: MPI's own sum may depend on the order in which ranks arrive.
  collective("all_reduce", [&] {
    if (values.empty()) return;
    const auto gathered = gather_equal(std::as_bytes(values), "all_reduce");
    std::vector<double> with(values.size());
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(size()); ++rank) {
      std::memcpy(with.data(), gathered.data() + rank * values.size_bytes(), values.size_bytes());
      if (rank == 0) std::copy(with.begin(), with.end(), values.begin());
      else reduce_into(values, std::span<const double>(with), reduction);
    }
  });
}

void MpiCommunicator::all_reduce(std::span<std::int64_t> values, Reduction reduction) {
  collective("all_reduce", [&] {
    if (values.empty()) return;
    auto pending = std::make_shared<Operation>();
    const auto bytes = std::as_bytes(values);
    pending->in.assign(bytes.begin(), bytes.end());
    pending->out.resize(bytes.size());
    const MPI_Op op = reduction == Reduction::sum ? MPI_SUM : reduction == Reduction::min ? MPI_MIN : MPI_MAX;
    const int count = checked_cast<int>(values.size(), "values of all_reduce");
    check(MPI_Iallreduce(pending->in.data(), pending->out.data(), count, MPI_INT64_T, op, state_->comm,
                         &pending->request),
          "MPI_Iallreduce");
    complete(pending, "all_reduce");
    std::memcpy(values.data(), pending->out.data(), pending->out.size());
  });
}

}  // namespace halocline::comm::mpi
