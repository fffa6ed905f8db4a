// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <deque>

#include "comm/agree.hpp"
#include "measure/detail/pair_method.hpp"
#include "measure/detail/stages.hpp"

namespace halocline::machine::measuring {
namespace {

/// More streams than this at once say more about the scheduling of streams than about links.
constexpr int most_devices_at_once = 16;

/// Which methods are possible for which ordered pairs; the same on all ranks of a node once shared.
class Possible {
 public:
  explicit Possible(int devices)
      : devices_(static_cast<std::size_t>(devices)), yes_(all_pair_methods.size() * devices_ * devices_) {}
  [[nodiscard]] bool of(PairMethod method, int from, int to) const { return yes_[index(method, from, to)] != 0; }
  void set(PairMethod method, int from, int to) { yes_[index(method, from, to)] = 1; }
  /// Collective: brings each rank's results of its own pairs to all ranks.
  void share(comm::RankGroup& node) { node.all_reduce(std::span<std::int64_t>(yes_), comm::Reduction::max); }

 private:
  [[nodiscard]] std::size_t index(PairMethod method, int from, int to) const {
    return (static_cast<std::size_t>(method) * devices_ + static_cast<std::size_t>(from)) * devices_ +
           static_cast<std::size_t>(to);
  }
  std::size_t devices_;
  std::vector<std::int64_t> yes_;
};

/// One direction of something that several lanes do together.
struct Direction {
  int from;
  int to;
  std::size_t from_offset = 0;
  std::size_t to_offset = 0;
};

void one_way(Session& session, PairMethod method, int from, int to, Possible& table) {
  const int user = driver(method, from, to);
  if (!session.mine(user)) return;
  const bool by_kernel = method == PairMethod::put || method == PairMethod::get;
  if (by_kernel && !session.kernels_can()) return session.leave_out(to_string(method), "kernels move words of 8 bytes");
  const Verdict access = possible(session, method, from, to);
  if (!access.yes) return session.leave_out(to_string(method), access.why_not);
  table.set(method, from, to);
  const Times times = session.time_alone(user, transfer_of(session, method, from, to), session.bytes());
  session.found({.from = from, .to = to, .method = std::string(to_string(method)), .bytes = session.request().bytes},
                times);
}

/// Collective: all directions at once, each rank with the lanes of its own devices.
void together(Session& session, PairMethod method, const std::vector<Direction>& directions, Traffic traffic,
              std::size_t bytes) {
  std::deque<Lane> lanes;
  std::vector<Session::Job> jobs;
  std::vector<Direction> mine;
  comm::agree_on(session.node(), [&] {
    for (const Direction& direction : directions) {
      const int user = driver(method, direction.from, direction.to);
      if (!session.mine(user)) continue;
      lanes.emplace_back(session.backend(), session.slot(user).ordinal);
      jobs.push_back(
          {&lanes.back(),
           transfer_of(session, method, direction.from, direction.to, direction.from_offset, direction.to_offset),
           {}});
      mine.push_back(direction);
    }
  });
  session.time(jobs, Gate::Scope::node, bytes);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    session.found({.from = mine[j].from,
                   .to = mine[j].to,
                   .method = std::string(to_string(method)),
                   .traffic = traffic,
                   .bytes = static_cast<std::int64_t>(bytes)},
                  jobs[j].times);
  }
}

void all_at_once(Session& session, PairMethod method, const Possible& table) {
  const std::size_t slice = session.slice_bytes();
  std::vector<Direction> directions;
  for (int from = 0; from < session.devices(); ++from) {
    for (int to = 0; to < session.devices(); ++to) {
      if (from == to || !table.of(method, from, to)) continue;
      directions.push_back({from, to, static_cast<std::size_t>(to) * slice, static_cast<std::size_t>(from) * slice});
    }
  }
  const bool root = session.node().rank() == rank_id(0);
  const auto leave_out = [&](std::string_view why) {
    if (root) session.leave_out(to_string(method), why);
  };
  if (session.devices() > most_devices_at_once) return leave_out("all pairs at once: more than 16 devices");
  if (slice < small_bytes) return leave_out("all pairs at once: the messages are too small to be shared out");
  if (directions.size() > 2) together(session, method, directions, Traffic::all_pairs, slice);
}

}  // namespace

void measure_own_memory(Session& session) {
  for (int d = 0; d < session.devices(); ++d) {
    if (!session.time_left({"copy"})) return;
    comm::agree_on(session.node(), [&] {
      if (!session.mine(d)) return;
      // Larger than what caches hold, and than the memory that pairs use.
      const std::size_t bytes = session.request().exact ? session.bytes() : 4 * session.bytes();
      const int ordinal = session.slot(d).ordinal;
      const auto source = session.backend().allocate_shareable(ordinal, std::max(bytes, small_bytes));  // zero-filled
      const auto target = session.backend().allocate(ordinal, std::max(bytes, small_bytes));
      const Times times = session.time_alone(
          d, [&](device::Stream& stream, std::size_t size) { stream.copy(target->data(), source->data(), size); },
          bytes);
      session.found({.from = d, .to = d, .method = "copy", .bytes = static_cast<std::int64_t>(bytes)}, times);
    });
  }
}

void measure_pairs(Session& session) {
  Possible table(session.devices());
  for (int from = 0; from < session.devices(); ++from) {
    for (int to = 0; to < session.devices(); ++to) {
      if (from == to) continue;
      if (!session.time_left({"copy", "put", "get", "staged"})) continue;
      // First what the sender drives, then what the receiver drives: never two ranks at once.
      for (const int user : {from, to}) {
        comm::agree_on(session.node(), [&] {
          for (const PairMethod method : all_pair_methods) {
            if (driver(method, from, to) == user) one_way(session, method, from, to, table);
          }
        });
      }
    }
  }
  if (session.devices() == 0) return;
  table.share(session.node());
  for (int a = 0; a < session.devices(); ++a) {
    for (int b = a + 1; b < session.devices(); ++b) {
      for (const PairMethod method : all_pair_methods) {
        if (!table.of(method, a, b) || !table.of(method, b, a)) continue;
        if (!session.time_left({to_string(method)})) continue;
        together(session, method, {{a, b}, {b, a}}, Traffic::two_way, session.bytes());
      }
    }
  }
  for (const PairMethod method : {PairMethod::copy, PairMethod::put}) {
    if (session.time_left({to_string(method)})) all_at_once(session, method, table);
  }
}

}  // namespace halocline::machine::measuring
