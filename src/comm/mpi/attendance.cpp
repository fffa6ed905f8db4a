// SPDX-License-Identifier: BSD-3-Clause
#include "comm/mpi/attendance.hpp"

#include <fmt/core.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "comm/mpi/finalisation.hpp"
#include "comm/mpi/state.hpp"
#include "core/ranks_text.hpp"
#include "core/short_text.hpp"

namespace halocline::comm::mpi {
namespace {

/// Above the tags of other messages, and above what the standard grants: if an MPI has no such tag, sends fail and no rank answers.
constexpr int tag = 32768;
constexpr Duration grace = std::chrono::milliseconds(150);
constexpr Duration farewell = std::chrono::milliseconds(200);
constexpr Duration interval = std::chrono::milliseconds(2);
constexpr int most_to_a_side = 256;

enum class What : std::int32_t { question, answer, error, leave };

struct Message {
  What what;
  std::int32_t round;
  std::int32_t kind;
  std::array<char, 500> text;
};

}  // namespace

struct Parting {
  Message error;
  Message leave;
};

namespace {

/// Never destroyed: MPI may still read a message when the process ends.
struct Registry {
  std::mutex mutex;
  std::vector<State*> states;
  std::deque<Message> sent;
  std::deque<Parting> partings;
  std::vector<Parting*> unused;       ///< of them, with room for all
  std::vector<int> absent;            ///< ranks of MPI_COMM_WORLD that did not answer the last roll call
  std::atomic<std::int64_t> last{0};  ///< time of the last attend(), in ns
};

Registry& registry() {
  static auto* const one = new Registry;
  return *one;
}

/// The caller holds the mutex. MPI may read the message until the process ends.
void send(State& state, int to, const Message& kept) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Isend(&kept, sizeof kept, MPI_BYTE, to, tag, state.comm, &request) != MPI_SUCCESS) return;
  MPI_Request_free(&request);
}

const Message& kept(const Message& message) { return registry().sent.emplace_back(message); }

/// How many ranks receive what a rank sends to the others.
int others(const State& state) { return std::min(state.size - 1, 2 * most_to_a_side); }

/// The k-th of them, from 1: in turns above and below the rank, nearest first.
int other(const State& state, int k) {
  const int distance = k % 2 == 1 ? (k + 1) / 2 : state.size - k / 2;
  return (state.rank + distance) % state.size;
}

void send_to_others(State& state, const Message& message) {
  for (int k = 1; k <= others(state); ++k) send(state, other(state, k), message);
}

void take(State& state, int from, const Message& message) {
  Attendance& own = state.attendance;
  switch (message.what) {
    case What::question: return send(state, from, kept({What::answer, message.round, 0, {}}));
    case What::answer:
      if (message.round == own.round && !own.answered.empty()) own.answered[static_cast<std::size_t>(from)] = true;
      return;
    case What::error:
      if (!own.left) own.left = Attendance::Left{static_cast<ErrorKind>(message.kind), message.text.data()};
      return poison(state);
    case What::leave: own.gone[static_cast<std::size_t>(from)] = true; return;
  }
}

/// Receives a message if one is there. The caller holds the mutex.
bool receive(State& state) {
  int there = 0;
  MPI_Status status{};
  if (MPI_Iprobe(MPI_ANY_SOURCE, tag, state.comm, &there, &status) != MPI_SUCCESS || there == 0) return false;
  Message message{};
  // It does not wait: the message is there.
  if (MPI_Recv(&message, sizeof message, MPI_BYTE, status.MPI_SOURCE, tag, state.comm, MPI_STATUS_IGNORE) !=
      MPI_SUCCESS) {
    return false;
  }
  message.text.back() = '\0';
  take(state, status.MPI_SOURCE, message);
  return true;
}

/// The same where memory may have run out: what it is received for, an answer or a text, is left out then.
bool received(State& state) noexcept {
  try {
    return receive(state);
  } catch (...) {
    return true;
  }
}

/// The caller holds the mutex.
void receive_all(State& state) {
  while (!state.poisoned() && receive(state)) {
  }
}

/// The numbers of ranks of the communicator in MPI_COMM_WORLD.
std::vector<int> in_world(const State& state, const std::vector<int>& ranks) {
  std::vector<int> found(ranks.size(), MPI_UNDEFINED);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  if (MPI_Comm_group(state.comm, &group) == MPI_SUCCESS && MPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
    MPI_Group_translate_ranks(group, static_cast<int>(ranks.size()), ranks.data(), world, found.data());
  }
  for (MPI_Group* one : {&group, &world}) {
    if (*one != MPI_GROUP_NULL) MPI_Group_free(one);
  }
  return found;
}

std::string missing_text(const std::vector<int>& in_world) {
  return fmt::format("{} of MPI_COMM_WORLD {} missing", ranks_text(in_world), in_world.size() == 1 ? "is" : "are");
}

/// Whether all that can be expected to take leave of this rank have done so. Allocates nothing.
bool all_have_left(const State& state) {
  for (int k = 1; k <= others(state); ++k) {
    const int rank = other(state, k);
    if (!state.attendance.gone[static_cast<std::size_t>(rank)] && !std::ranges::count(registry().absent, rank))
      return false;
  }
  return true;
}

ErrorKind kind_of(const std::exception_ptr& error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const Error& caught) {
    return caught.kind();
  } catch (...) {
  }
  return ErrorKind::communication;
}

ShortText text_of(int rank, const std::exception_ptr& error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const std::exception& caught) {
    return ShortText("rank {}: {}", rank, caught.what());
  } catch (...) {
  }
  return ShortText("rank {} has left after an error", rank);
}

}  // namespace

void enlist(State& state) {
  Registry& all = registry();
  const std::lock_guard held(all.mutex);
  if (all.unused.empty()) {
    all.unused.reserve(all.partings.size() + 1);
    all.unused.push_back(&all.partings.emplace_back());
  }
  state.attendance.gone.resize(static_cast<std::size_t>(state.size));
  all.states.push_back(&state);
  state.attendance.parting = all.unused.back();
  all.unused.pop_back();
}

void delist(State& state) noexcept {
  Registry& all = registry();
  const std::lock_guard held(all.mutex);
  std::erase(all.states, &state);
  Attendance& own = state.attendance;
  Parting* const parting = std::exchange(own.parting, nullptr);
  if (parting != nullptr && !own.notified && !own.leaving) all.unused.push_back(parting);
}

void attend() {
  Registry& all = registry();
  const std::int64_t now = Clock::steady().now().count();
  if (now - all.last.load(std::memory_order_relaxed) < Duration(interval).count()) return;
  const std::unique_lock held(all.mutex, std::try_to_lock);  // if another thread does it, this one goes on
  if (!held || all.states.empty() || finalising()) return;
  all.last.store(now, std::memory_order_relaxed);
  for (State* state : all.states) receive_all(*state);
}

std::string call_roll(State& state) {
  if (!state.attendance.on_one_node || state.size == 1 || state.poisoned() || finalising()) return {};
  Attendance& own = state.attendance;
  std::vector<int> missing;
  const std::lock_guard held(registry().mutex);
  ++own.round;
  own.answered.assign(static_cast<std::size_t>(state.size), false);
  send_to_others(state, kept({What::question, own.round, 0, {}}));
  const Deadline deadline(Clock::steady(), grace);
  do {
    for (State* one : registry().states) receive_all(*one);
    if (own.left) return own.left->text;
    missing.clear();
    for (int k = 1; k <= others(state); ++k) {
      if (!own.answered[static_cast<std::size_t>(other(state, k))]) missing.push_back(other(state, k));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  } while (!missing.empty() && !deadline.expired());
  std::ranges::sort(missing);
  registry().absent = in_world(state, missing);
  return missing.empty() ? std::string() : missing_text(registry().absent);
}

void send_error(State& state) noexcept {
  if (std::exchange(state.attendance.notified, true) || state.size == 1) return;
  try {
    if (finalising()) return;
    const std::exception_ptr error = std::current_exception();
    const ErrorKind kind = kind_of(error);
    const bool of_others = kind == ErrorKind::deadline || kind == ErrorKind::communication;
    if (of_others && !state.attendance.on_one_node) return;
    const std::lock_guard held(registry().mutex);
    if (state.attendance.parting == nullptr) return;
    Message& message = state.attendance.parting->error;
    message = {What::error, 0, static_cast<std::int32_t>(kind), {}};
    const ShortText text = text_of(state.rank, error);
    const std::string_view shown = text;
    shown.copy(message.text.data(), message.text.size() - 1);
    send_to_others(state, message);
  } catch (...) {  // they end at their own deadlines
  }
}

void take_leave(State& state) noexcept {
  Attendance& own = state.attendance;
  if (std::exchange(own.leaving, true) || finalising()) return;
  try {
    const std::lock_guard held(registry().mutex);
    if (own.parting == nullptr) return;
    own.parting->leave = {What::leave, 0, 0, {}};
    send_to_others(state, own.parting->leave);
    const Deadline deadline(Clock::steady(), farewell);
    while (!all_have_left(state) && !deadline.expired()) {
      if (!received(state)) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  } catch (...) {  // the mutex cannot be locked
  }
}

void throw_if_left(const State& state, std::string_view what) {
  const auto left = [&] {
    const std::lock_guard held(registry().mutex);
    return state.attendance.left;
  }();
  if (left) throw_error(left->kind, fmt::format("{}: {}", what, left->text));
}

void throw_unusable(const State& state, std::string_view what) {
  throw_if_left(state, what);
  if (!state.poisoned()) throw CommunicationError(fmt::format("{} after MPI_Finalize", what));
  throw CommunicationError(fmt::format("{}: this group of ranks is unusable after an earlier error", what));
}

}  // namespace halocline::comm::mpi
