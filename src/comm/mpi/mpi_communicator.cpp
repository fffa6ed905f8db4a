// SPDX-License-Identifier: BSD-3-Clause
#include "comm/mpi/mpi_communicator.hpp"

#include <utility>

#include "comm/agree.hpp"
#include "comm/detail/anonymous_window.hpp"
#include "comm/detail/arguments.hpp"
#include "comm/detail/job_processes.hpp"
#include "comm/detail/runtime.hpp"
#include "comm/detail/watchdog.hpp"
#include "comm/gather.hpp"
#include "comm/mpi/check.hpp"
#include "comm/mpi/requests.hpp"
#include "comm/requests.hpp"
#include "core/leak.hpp"
#include "core/timeout.hpp"
#include "halocline/mpi.hpp"

namespace halocline::comm {
namespace mpi {

MpiCommunicator::MpiCommunicator(MPI_Comm comm, Duration timeout, int largest_count, bool on_one_node)
    : state_(std::make_shared<State>()) {
  set_timeout(timeout);
  state_->comm = comm;
  state_->largest_count = largest_count;
  check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(comm, &state_->rank), "MPI_Comm_rank");
  check(MPI_Comm_size(comm, &state_->size), "MPI_Comm_size");
  auto alone = std::make_shared<local::Group>(std::make_shared<local::Roll>(1), std::vector<int>{0}, state_->rank);
  state_->self = {std::move(alone), state_->life, 0};
  state_->attendance.on_one_node = on_one_node || job_on_one_node();
  enlist(*state_);
}

MpiCommunicator::~MpiCommunicator() {
  if (closed_) return;
  delist(*state_);
  if (!state_->poisoned()) log_leak_once(state_->size);
  leak(std::move(state_));
}

void MpiCommunicator::require_usable(std::string_view operation) const {
  if (closed_) throw InternalError(fmt::format("{} on a communicator that was closed", operation));
  if (!state_->usable()) throw_unusable(*state_, operation);
}

std::unique_ptr<Request> MpiCommunicator::send(std::span<const std::byte> bytes, rank_id to, int tag) {
  require_usable("send");
  check_rank(*this, to, "send");
  check_tag(tag, "send");
  if (to == rank()) return local::make_send(state_->self, bytes, 0, tag);
  // MPI's persistent and ordinary requests share a class; what is sent is never written.
  auto* data = const_cast<std::byte*>(bytes.data());
  return std::make_unique<MpiRequest>(state_, Transfer::Way::send, data, bytes.size(), static_cast<int>(to.value()),
                                      tag);
}

std::unique_ptr<Request> MpiCommunicator::receive(std::span<std::byte> bytes, rank_id from, int tag) {
  require_usable("receive");
  check_rank(*this, from, "receive");
  check_tag(tag, "receive");
  if (from == rank()) return local::make_receive(state_->self, bytes, 0, tag);
  return std::make_unique<MpiRequest>(state_, Transfer::Way::receive, bytes.data(), bytes.size(),
                                      static_cast<int>(from.value()), tag);
}

std::unique_ptr<PersistentRequest> MpiCommunicator::persistent_send(std::span<const std::byte> bytes, rank_id to,
                                                                    int tag) {
  require_usable("persistent_send");
  check_rank(*this, to, "persistent_send");
  check_tag(tag, "persistent_send");
  if (to == rank()) return local::make_persistent_send(state_->self, bytes, 0, tag);
  auto* data = const_cast<std::byte*>(bytes.data());
  return std::make_unique<MpiPersistentRequest>(state_, Transfer::Way::send, data, bytes.size(),
                                                static_cast<int>(to.value()), tag);
}

std::unique_ptr<PersistentRequest> MpiCommunicator::persistent_receive(std::span<std::byte> bytes, rank_id from,
                                                                       int tag) {
  require_usable("persistent_receive");
  check_rank(*this, from, "persistent_receive");
  check_tag(tag, "persistent_receive");
  if (from == rank()) return local::make_persistent_receive(state_->self, bytes, 0, tag);
  return std::make_unique<MpiPersistentRequest>(state_, Transfer::Way::receive, bytes.data(), bytes.size(),
                                                static_cast<int>(from.value()), tag);
}

std::unique_ptr<PersistentRequest> MpiCommunicator::persistent_receive_at_most(std::span<std::byte> bytes, rank_id from,
                                                                               int tag) {
  require_usable("persistent_receive_at_most");
  check_rank(*this, from, "persistent_receive_at_most");
  check_tag(tag, "persistent_receive_at_most");
  if (from == rank()) return local::make_persistent_receive(state_->self, bytes, 0, tag, Length::at_most);
  return std::make_unique<MpiPersistentRequest>(state_, Transfer::Way::receive, bytes.data(), bytes.size(),
                                                static_cast<int>(from.value()), tag, Length::at_most);
}

Verdict MpiCommunicator::concurrent() const {
  const runtime::ThreadLevel level = runtime::thread_level();
  return Verdict::of(level.name == "MPI_THREAD_MULTIPLE",
                     fmt::format("MPI was initialised with {}, not MPI_THREAD_MULTIPLE", level.name));
}

std::unique_ptr<ConcurrentCaller> MpiCommunicator::concurrent_caller() { return make_concurrent_caller(); }

std::unique_ptr<RankGroup> MpiCommunicator::split(int colour, int key) {
  // Also serves as the barrier before MPI_Comm_split; see the class.
  const auto colours = comm::gather_value(*this, colour);
  for (std::size_t rank = 0; rank < colours.size(); ++rank) check_colour(colours[rank], rank);
  try {
    MPI_Comm made = MPI_COMM_NULL;
    {
      const Watchdog watchdog("MPI_Comm_split", timeout());
      check(MPI_Comm_split(state_->comm, colour, key, &made), "MPI_Comm_split");
    }
    return std::make_unique<MpiCommunicator>(made, timeout(), state_->largest_count, state_->attendance.on_one_node);
  } catch (...) {
    poison();
    throw;
  }
}

std::unique_ptr<RankGroup> MpiCommunicator::split_by_node(std::optional<int> ranks_per_node) {
  const auto wishes = comm::gather_value(*this, static_cast<std::int64_t>(ranks_per_node.value_or(size())));
  for (std::size_t rank = 0; rank < wishes.size(); ++rank) check_ranks_per_node(wishes[rank], rank);
  MPI_Comm made = MPI_COMM_NULL;
  std::unique_ptr<RankGroup> node;
  try {
    {
      const Watchdog watchdog("MPI_Comm_split_type", timeout());
      check(MPI_Comm_split_type(state_->comm, MPI_COMM_TYPE_SHARED, state_->rank, MPI_INFO_NULL, &made),
            "MPI_Comm_split_type");
    }
    node = std::make_unique<MpiCommunicator>(made, timeout(), state_->largest_count, true);
  } catch (...) {
    poison();
    throw;
  }
  if (!ranks_per_node) return node;
  const auto rank_in_node = static_cast<int>(node->rank().value());
  auto part = node->split(rank_in_node / *ranks_per_node, rank_in_node);
  node->close();
  return part;
}

std::unique_ptr<SharedWindow> MpiCommunicator::shared_window(std::size_t bytes) {
  return make_anonymous_window(*this, bytes);
}

void MpiCommunicator::poison() noexcept {
  if (!state_->poisoned()) send_error(*state_);
  mpi::poison(*state_);
}

void MpiCommunicator::take_leave() noexcept {
  if (!closed_) mpi::take_leave(*state_);
}

std::string MpiCommunicator::lost() { return missing_from({}); }

std::string MpiCommunicator::missing() { return call_roll(*state_); }

void MpiCommunicator::close() {
  if (closed_) return;
  if (!state_->usable()) {
    delist(*state_);
    leak(state_);
    closed_ = true;
    return;
  }
  // After the barrier all ranks have arrived; if one dies now, others may wait in MPI_Comm_free.
  barrier();
  closed_ = true;
  delist(*state_);
  const Watchdog watchdog("MPI_Comm_free", timeout());
  check(MPI_Comm_free(&state_->comm), "MPI_Comm_free");
}

std::unique_ptr<RankGroup> duplicate(MPI_Comm comm, Duration timeout, int largest_count) {
  if (!runtime::active()) {
    throw InvalidArgument(fmt::format("from_mpi: MPI is {}; allowed is after MPI_Init and before MPI_Finalize",
                                      runtime::finalised() ? "finalised" : "not initialised"));
  }
  if (comm == MPI_COMM_NULL) throw InvalidArgument("from_mpi: the communicator is MPI_COMM_NULL");
  int inter = 0;
  check(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  if (inter != 0)
    throw InvalidArgument("from_mpi: the communicator is an inter-communicator; allowed is an intra-communicator");

  watch_finalisation();
  auto pending = std::make_shared<Operation>();
  check(MPI_Comm_idup(comm, &pending->made, &pending->request), "MPI_Comm_idup");
  const auto give_up = [&] {
    poison_process();
    leak(pending);
  };
  try {
    wait_until(
        [&] {
          int done = 0;
          check(MPI_Test(&pending->request, &done, MPI_STATUS_IGNORE), "MPI_Comm_idup");
          return done != 0;
        },
        Deadline(Clock::steady(), timeout),
        fmt::format("MPI_Comm_idup (timeout {} s)", std::chrono::duration<double>(timeout).count()));
  } catch (const DeadlineError& late) {
    give_up();
    if (const std::string missing = missing_from({}); !missing.empty()) {
      throw DeadlineError(fmt::format("{}: {}", missing, late.what()));
    }
    throw;
  } catch (...) {
    give_up();
    throw;
  }
  return std::make_unique<MpiCommunicator>(pending->made, timeout, largest_count);
}

}  // namespace mpi

Communicator from_mpi(MPI_Comm comm, Duration timeout) { return mpi::duplicate(comm, checked_timeout(timeout)); }

}  // namespace halocline::comm
