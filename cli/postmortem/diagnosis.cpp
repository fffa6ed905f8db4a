// SPDX-License-Identifier: BSD-3-Clause
#include "postmortem/diagnosis.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "halocline/error.hpp"

namespace cli::postmortem {
namespace {

using namespace halocline;
using Ranks = std::set<std::int64_t>;

/// The exchanges at one place of the domain's list, of all ranks.
class OneExchange {
 public:
  OneExchange(const std::vector<const Recording*>& recordings, std::size_t place)
      : recordings_(&recordings), place_(place) {
    for (const Recording* recording : recordings) {
      if (!has(*recording)) continue;
      const RecordedExchange& exchange = recording->exchanges[place];
      if (name_.empty()) name_ = exchange.name;
      raise(by_host_, recording->rank, exchange.started);
      raise(by_device_, recording->rank, exchange.epoch);
      for (const RecordedMessage& message : exchange.messages) {
        if (!message.by_host) {
          raise(by_device_, message.peer, message.reached);
        } else if (message.sends) {
          sent_[message_of(message)] = message.reached;
        } else {
          raise(by_host_, message.peer, message.reached);
        }
      }
    }
    for (const Recording* recording : recordings) {
      if (has(*recording)) add_waits(*recording);
    }
    remove_sends_to_who_receives();
  }

  [[nodiscard]] const std::vector<Wait>& waits() const { return waits_; }

  /// What the waits in the earliest exchange lead to; later ones are consequences.
  [[nodiscard]] std::vector<Root> roots() const {
    if (waits_.empty()) return {};
    const std::uint64_t first = std::ranges::min(waits_, {}, &Wait::number).number;
    std::vector<Wait> earliest;
    std::ranges::copy_if(waits_, std::back_inserter(earliest), [&](const Wait& wait) { return wait.number == first; });
    // A message that has left its sender is no reason to look there, as long as there are others.
    const auto has_left = [&](const Wait& wait) { return this->has_left(wait); };
    if (!std::ranges::all_of(earliest, has_left)) std::erase_if(earliest, has_left);
    Ranks waiting;
    for (const Wait& wait : earliest) waiting.insert(wait.rank);
    std::map<std::int64_t, Root> roots;
    for (const Wait& wait : earliest) {
      if (waiting.contains(wait.peer)) continue;
      Root& root = roots[wait.peer];
      root.waits.push_back(wait);
    }
    std::vector<Root> all;
    for (auto& [rank, root] : roots) {
      root.ranks = {rank};
      root.kind = kind_of(rank, first, root.waits.front().message.by_host);
      all.push_back(std::move(root));
    }
    if (all.empty()) all.push_back(cycle_of(earliest));
    for (Root& root : all) {
      root.exchange = name_;
      root.number = first;
      root.waiting = waiting_for(root.ranks);
    }
    return all;
  }

  /// How many exchanges this rank has finished.
  [[nodiscard]] std::uint64_t finished(const Recording& recording) const {
    return has(recording) ? recording.exchanges[place_].finished : 0;
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  using Counts = std::map<std::int64_t, std::uint64_t>;  // by rank
  using Message = std::tuple<std::int64_t, std::int64_t, std::string>;
  static Message message_of(const RecordedMessage& message) { return {message.from, message.to, message.towards}; }

  static void raise(Counts& counts, std::int64_t rank, std::uint64_t to) {
    std::uint64_t& count = counts[rank];
    count = std::max(count, to);
  }
  static std::uint64_t of(const Counts& counts, std::int64_t rank) {
    const auto found = counts.find(rank);
    return found == counts.end() ? 0 : found->second;
  }

  [[nodiscard]] bool has(const Recording& recording) const {
    return place_ < recording.exchanges.size() && !recording.exchanges[place_].name.empty();
  }

  void add_waits(const Recording& recording) {
    const RecordedExchange& exchange = recording.exchanges[place_];
    // Messages of the host proceed only within a call.
    const auto place = last_place(recording);
    const bool in_call = place && (place->kind == EventKind::waiting || place->kind == EventKind::started);
    bool pending = false;
    for (const RecordedMessage& message : exchange.messages) {
      if (message.peer == recording.rank) continue;
      if (!message.by_host) {
        if (message.reached < of(by_device_, recording.rank)) add(recording, message, message.reached + 1);
      } else if (message.reached < exchange.started && exchange.finished < exchange.started) {
        pending = true;
        if (in_call) add(recording, message, exchange.started);
      }
    }
    if (pending && !in_call) unfinished_.insert(recording.rank);
  }
  /// Whose message the other rank waits for does not wait for that rank: the message is under way, or was not handed over.
  void remove_sends_to_who_receives() {
    std::set<std::pair<Message, std::uint64_t>> awaited;
    for (const Wait& wait : waits_) {
      if (wait.message.by_host && !wait.message.sends) awaited.emplace(message_of(wait.message), wait.number);
    }
    std::erase_if(waits_, [&](const Wait& wait) {
      return wait.message.by_host && wait.message.sends && awaited.contains({message_of(wait.message), wait.number});
    });
  }
  /// Whether a rank waits for a message of the host whose sender is done with it.
  [[nodiscard]] bool has_left(const Wait& wait) const {
    const auto sent = sent_.find(message_of(wait.message));
    return wait.message.by_host && !wait.message.sends && sent != sent_.end() && sent->second >= wait.number;
  }
  void add(const Recording& recording, const RecordedMessage& message, std::uint64_t number) {
    waits_.push_back({recording.rank, message.peer, name_, number, message});
  }

  [[nodiscard]] RootKind kind_of(std::int64_t rank, std::uint64_t number, bool by_host) const {
    if (std::ranges::find(*recordings_, rank, &Recording::rank) == recordings_->end()) return RootKind::no_recording;
    if (of(by_host ? by_host_ : by_device_, rank) < number) {
      return of(by_host_, rank) >= number ? RootKind::device_behind : RootKind::not_started;
    }
    return unfinished_.contains(rank) ? RootKind::not_finished : RootKind::lost_message;
  }

  /// From any rank along the waits until a rank comes again: all wait for one that waits.
  static Root cycle_of(const std::vector<Wait>& waits) {
    std::vector<const Wait*> path;
    const Wait* at = &waits.front();
    while (std::ranges::find(path, at->rank, &Wait::rank) == path.end()) {
      path.push_back(at);
      at = &*std::ranges::find(waits, at->peer, &Wait::rank);
    }
    Root root{.kind = RootKind::cycle, .ranks = {}, .exchange = {}, .number = 0, .waiting = {}, .waits = {}};
    for (auto wait = std::ranges::find(path, at->rank, &Wait::rank); wait != path.end(); ++wait) {
      root.ranks.push_back((*wait)->rank);
      root.waits.push_back(**wait);
    }
    return root;
  }

  [[nodiscard]] std::vector<std::int64_t> waiting_for(const std::vector<std::int64_t>& ranks) const {
    std::map<std::int64_t, Ranks> waiters;
    for (const Wait& wait : waits_) waiters[wait.peer].insert(wait.rank);
    Ranks found;
    std::vector<std::int64_t> next = ranks;
    while (!next.empty()) {
      const std::int64_t rank = next.back();
      next.pop_back();
      for (const std::int64_t waiter : waiters[rank]) {
        if (found.insert(waiter).second) next.push_back(waiter);
      }
    }
    for (const std::int64_t rank : ranks) found.erase(rank);
    return {found.begin(), found.end()};
  }

  const std::vector<const Recording*>* recordings_;
  std::size_t place_;
  std::string name_;
  Counts by_host_;                         ///< exchanges that the rank's host has started, as far as anybody has seen
  Counts by_device_;                       ///< exchanges that its devices have begun
  Ranks unfinished_;                       ///< with messages of the host, outside of any call
  std::map<Message, std::uint64_t> sent_;  ///< of the host: the last exchange in which the sender was done with it
  std::vector<Wait> waits_;
};

Root root_of(RootKind kind, std::int64_t rank) {
  return {.kind = kind, .ranks = {rank}, .exchange = {}, .number = 0, .waiting = {}, .waits = {}};
}

/// Errors that are no consequences.
std::vector<Root> first_errors(const std::vector<const Recording*>& recordings) {
  std::vector<Root> roots;
  for (const Recording* recording : recordings) {
    if (recording->error.empty() || recording->error_of_another || recording->kind == ErrorKind::deadline) continue;
    Root root = root_of(recording->kind ? RootKind::failed : RootKind::left, recording->rank);
    for (const RecordedEvent& event : recording->events) {
      if (event.kind != EventKind::failed && event.kind != EventKind::left) continue;
      root.exchange = exchange_name(*recording, event.exchange);
      root.number = event.number;
    }
    roots.push_back(std::move(root));
  }
  return roots;
}

/// Set-up and close() are collective: ranks there wait for those that have not come as far.
std::vector<Root> behind_in_phases(const std::vector<const Recording*>& recordings,
                                   const std::vector<std::int64_t>& without) {
  const auto phase = [](const Recording* recording) { return phase_of(*recording); };
  const int most = phase(std::ranges::max(recordings, {}, phase));
  const int least = phase(std::ranges::min(recordings, {}, phase));
  const bool setting_up = least < phase_of_exchanges;
  const bool closing = most > phase_of_exchanges;
  if (!setting_up && !closing) return {};
  std::vector<std::int64_t> waiting;
  for (const Recording* recording : recordings) {
    if (phase(recording) > least || !without.empty()) waiting.push_back(recording->rank);
  }
  std::vector<Root> roots;
  for (const std::int64_t rank : without) roots.push_back(root_of(RootKind::no_recording, rank));
  for (const Recording* recording : recordings) {
    if (!without.empty() || least == most || phase(recording) != least) continue;
    roots.push_back(root_of(setting_up ? RootKind::not_set_up : RootKind::not_closed, recording->rank));
  }
  for (Root& root : roots) root.waiting = waiting;
  return roots;
}

std::vector<Root> behind_in_number(const std::vector<const Recording*>& recordings, const OneExchange& exchange) {
  std::uint64_t most = 0, least = ~std::uint64_t{0};
  for (const Recording* recording : recordings) {
    most = std::max(most, exchange.finished(*recording));
    least = std::min(least, exchange.finished(*recording));
  }
  std::vector<Root> roots;
  for (const Recording* recording : recordings) {
    if (least == most || exchange.finished(*recording) != least) continue;
    roots.push_back(root_of(RootKind::behind, recording->rank));
    roots.back().exchange = exchange.name();
    roots.back().number = most;
  }
  return roots;
}

}  // namespace

std::string_view to_string(RootKind kind) {
  switch (kind) {
    case RootKind::failed: return "failed";
    case RootKind::left: return "left";
    case RootKind::no_recording: return "no_recording";
    case RootKind::not_started: return "not_started";
    case RootKind::device_behind: return "device_behind";
    case RootKind::not_finished: return "not_finished";
    case RootKind::lost_message: return "lost_message";
    case RootKind::cycle: return "cycle";
    case RootKind::not_set_up: return "not_set_up";
    case RootKind::not_closed: return "not_closed";
    case RootKind::behind: return "behind";
  }
  throw InternalError("a RootKind without a name");
}

Diagnosis diagnose(const std::vector<Recording>& recordings) {
  if (recordings.empty()) throw InternalError("a diagnosis of no recordings");
  std::vector<const Recording*> sorted;
  for (const Recording& recording : recordings) sorted.push_back(&recording);
  std::ranges::sort(sorted, {}, [](const Recording* recording) { return recording->rank; });
  Diagnosis diagnosis;
  diagnosis.domain = sorted.front()->domain;
  diagnosis.ranks = sorted.front()->ranks;
  std::size_t places = 0;
  for (const Recording* recording : sorted) {
    if (recording->ranks != diagnosis.ranks) {
      throw InvalidArgument(
          fmt::format("recordings of domain {} are of {} ranks (rank {}) and of {} (rank {}); allowed "
                      "are recordings of one job",
                      diagnosis.domain, diagnosis.ranks, sorted.front()->rank, recording->ranks, recording->rank));
    }
    if (!diagnosis.states.empty() && diagnosis.states.back().rank == recording->rank) {
      throw InvalidArgument(fmt::format("rank {} has two recordings of domain {}; allowed is one, of one job",
                                        recording->rank, diagnosis.domain));
    }
    diagnosis.states.push_back(state_of(*recording));
    places = std::max(places, recording->exchanges.size());
  }
  diagnosis.missing = diagnosis.ranks - static_cast<std::int64_t>(sorted.size());
  auto next = sorted.begin();
  for (std::int64_t rank = 0; rank < diagnosis.ranks && std::ssize(diagnosis.without) < most_named_without; ++rank) {
    if (next != sorted.end() && (*next)->rank == rank) {
      ++next;
    } else {
      diagnosis.without.push_back(rank);
    }
  }
  std::vector<OneExchange> exchanges;
  std::vector<Root> of_waits;
  for (std::size_t place = 0; place < places; ++place) {
    const OneExchange& exchange = exchanges.emplace_back(sorted, place);
    std::ranges::copy(exchange.waits(), std::back_inserter(diagnosis.waits));
    std::ranges::move(exchange.roots(), std::back_inserter(of_waits));
  }
  diagnosis.roots = first_errors(sorted);
  if (!diagnosis.roots.empty()) {
    Ranks waiting;
    for (const Wait& wait : diagnosis.waits) waiting.insert(wait.rank);
    for (Root& root : diagnosis.roots) {
      root.waiting.assign(waiting.begin(), waiting.end());
      std::erase(root.waiting, root.ranks.front());
    }
    return diagnosis;
  }
  diagnosis.roots = std::move(of_waits);
  if (diagnosis.roots.empty()) diagnosis.roots = behind_in_phases(sorted, diagnosis.without);
  if (diagnosis.roots.empty()) {
    for (const std::int64_t rank : diagnosis.without) {
      diagnosis.roots.push_back(root_of(RootKind::no_recording, rank));
    }
  }
  for (std::size_t place = 0; diagnosis.roots.empty() && place < places; ++place) {
    diagnosis.roots = behind_in_number(sorted, exchanges[place]);
  }
  return diagnosis;
}

}  // namespace cli::postmortem
