// SPDX-License-Identifier: BSD-3-Clause
#include "trace.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <utility>
#include <vector>

#include "comm/gather.hpp"
#include "domain/internals.hpp"
#include "outputs.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;
using device::Trace;
using device::TracedOperation;
using device::TracedRun;
using device::Work;
using exchange::TracedMessage;

/// Ranks of one boot of one machine read one steady clock. Empty if the system has no such name, so that nobody shares it.
std::string clock_name() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return boot;
}

double us(Duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

std::string pair_text(const TracedMessage& message) {
  return fmt::format("{} -> {}{}", message.from.value(), message.to.value(),
                     message.direction ? " towards " + to_string(*message.direction) : "");
}

std::string name_of(const TracedOperation& operation, const std::vector<TracedMessage>& messages) {
  const std::string work(to_string(operation.work));
  if (operation.subdomain >= 0) return fmt::format("{} of subdomain {}", work, operation.subdomain);
  if (operation.messages.size() != 1) {
    return fmt::format("{} {}", work, plural(std::ssize(operation.messages), "message"));
  }
  const TracedMessage& message = messages[operation.messages.front()];
  return fmt::format("{} {} ({})", work, pair_text(message), routing::to_string(message.transport));
}

Json arguments_of(const TracedOperation& operation, const TracedRun& run, const std::vector<TracedMessage>& messages) {
  Json arguments{{"step", run.step}};
  if (operation.bytes > 0) arguments["bytes"] = operation.bytes;
  if (operation.subdomain >= 0) arguments["subdomain"] = operation.subdomain;
  if (operation.messages.size() != 1) {
    for (const std::size_t number : operation.messages) arguments["messages"].push_back(pair_text(messages[number]));
    return arguments;
  }
  const TracedMessage& message = messages[operation.messages.front()];
  arguments["from"] = message.from.value();
  arguments["to"] = message.to.value();
  if (message.direction) arguments["direction"] = to_string(*message.direction);
  arguments["part"] = operation.part;
  arguments["transport"] = routing::to_string(message.transport);
  arguments["message_bytes"] = message.bytes;
  return arguments;
}

/// The events of this rank; their "ts" are still in nanoseconds of its clock, which take no part of a double's precision.
class RankEvents {
 public:
  RankEvents(int rank, const Trace& trace, std::vector<TracedMessage> messages)
      : rank_(rank), messages_(std::move(messages)) {
    for (const TracedRun& run : trace.runs) {
      add(trace.operations[run.operation], run);
    }
  }
  [[nodiscard]] const Json& events() const { return events_; }
  [[nodiscard]] const std::vector<std::string>& tracks() const { return tracks_; }

 private:
  void add(const TracedOperation& operation, const TracedRun& run) {
    const std::string track = fmt::format(
        "{}: {}", operation.device < 0 ? "host" : fmt::format("device {}", operation.device), operation.track);
    auto place = std::ranges::find(tracks_, track);
    if (place == tracks_.end()) place = tracks_.insert(place, track);
    const auto thread = place - tracks_.begin();
    const auto event = [&](const char* phase, Duration at) {
      return Json{{"ph", phase}, {"ts", at.count()}, {"pid", rank_}, {"tid", thread}};
    };
    Json slice = event("X", run.begin);
    slice["dur"] = us(run.end - run.begin);
    slice["name"] = name_of(operation, messages_);
    slice["cat"] = to_string(operation.work);
    slice["args"] = arguments_of(operation, run, messages_);
    events_.push_back(std::move(slice));

    // An arrow from what sends a message to what receives it.
    const bool sends = operation.work == Work::put || operation.work == Work::send ||
                       (operation.work == Work::copy && is_by_copy_engine(operation));
    const bool receives = operation.work == Work::wait_arrived || operation.work == Work::receive;
    if (!sends && !receives) return;
    Json arrow = event(sends ? "s" : "f", sends ? run.begin : run.end);
    if (receives) arrow["bp"] = "e";
    arrow["name"] = arrow["cat"] = "message";
    arrow["id"] = fmt::format("{}.{}.{}", pair_text(messages_[operation.messages.front()]), operation.part, run.step);
    events_.push_back(std::move(arrow));
  }
  [[nodiscard]] bool is_by_copy_engine(const TracedOperation& operation) const {
    if (operation.messages.size() != 1) return false;
    const auto transport = messages_[operation.messages.front()].transport;
    return transport == routing::Transport::ipc_copy || transport == routing::Transport::peer_copy;
  }

  int rank_;
  std::vector<TracedMessage> messages_;
  Json events_ = Json::array();
  std::vector<std::string> tracks_;
};

/// What names the processes and threads.
void add_names(Json& events, int rank, const std::vector<std::string>& tracks) {
  const auto add = [&](const char* what, std::int64_t thread, Json arguments) {
    events.push_back({{"ph", "M"}, {"name", what}, {"pid", rank}, {"tid", thread}, {"args", std::move(arguments)}});
  };
  add("process_name", 0, {{"name", fmt::format("rank {}", rank)}});
  add("process_sort_index", 0, {{"sort_index", rank}});
  std::vector<std::string> sorted = tracks;
  std::ranges::sort(sorted);
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    add("thread_name", static_cast<std::int64_t>(t), {{"name", tracks[t]}});
    const auto order = std::ranges::find(sorted, tracks[t]) - sorted.begin();
    add("thread_sort_index", static_cast<std::int64_t>(t), {{"sort_index", order}});
  }
}

/// For each rank, the time of its clock that is 0 in the trace: when the first rank with that clock had met the others.
std::vector<Duration> origins_of(const std::vector<std::string>& clocks, const std::vector<Duration>& met) {
  std::map<std::string, Duration> of_clock;
  std::vector<Duration> origins;
  for (std::size_t rank = 0; rank < clocks.size(); ++rank) {
    const bool shared = !clocks[rank].empty();
    origins.push_back(shared ? of_clock.emplace(clocks[rank], met[rank]).first->second : met[rank]);
  }
  return origins;
}

}  // namespace

TraceFile::TraceFile(Context& context, std::string path) : context_(&context), path_(std::move(path)) {
  check_output(context, "--trace", path_);
}

void TraceFile::start(Domain& domain) {
  domain.synchronize();
  internals(domain).tracer()->start();
  context_->world.barrier();
  const Duration before = Clock::steady().now();
  context_->world.barrier();
  met_ = Clock::steady().now();
  uncertainty_ = met_ - before;
}

void TraceFile::write(Domain& domain) {
  domain.synchronize();
  device::Tracer& tracer = *internals(domain).tracer();
  tracer.stop();
  const Trace trace = tracer.take();
  auto& world = context_->world;
  const int rank = static_cast<int>(world.rank().value());
  const RankEvents mine(rank, trace, internals(domain).traced_messages());
  Duration alignment{};
  for (const Duration device : trace.alignment) alignment = std::max(alignment, device);
  const auto texts = comm::gather(world, mine.events().dump());
  const auto tracks = comm::gather(world, mine.tracks());
  const auto clocks = comm::gather(world, clock_name());
  const auto met = comm::gather_value(world, met_);
  const auto met_within = comm::gather_value(world, uncertainty_);
  const auto alignments = comm::gather_value(world, alignment);
  std::string text;
  if (context_->root()) {
    const bool one_clock = !clocks[0].empty() && std::ranges::all_of(clocks, [&](auto& c) { return c == clocks[0]; });
    const std::vector<Duration> origins = origins_of(clocks, met);
    Json document{{"displayTimeUnit", "ns"}, {"traceEvents", Json::array()}};
    Json& events = document["traceEvents"];
    Json of_devices = Json::array();
    for (std::size_t r = 0; r < texts.size(); ++r) {
      add_names(events, static_cast<int>(r), tracks[r]);
      Json of_rank = io::parse_document(texts[r]);
      for (Json& event : of_rank.elements()) {
        event["ts"] = us(Duration(*event["ts"].if_integer()) - origins[r]);
        events.push_back(std::move(event));
      }
      of_devices.push_back(us(alignments[r]));
    }
    document["otherData"] = {
        {"program", "halocline"},
        {"version", HALOCLINE_VERSION},
        {"clocks", one_clock ? "one steady clock for all ranks" : "a steady clock for each node, aligned at a barrier"},
        {"alignment_of_ranks_us", one_clock ? 0.0 : us(std::ranges::max(met_within))},
        {"alignment_of_devices_us", of_devices}};
    text = document.dump(Json::Utf8::replaced) + "\n";
  }
  write_output(*context_, "--trace", path_, text);
}

}  // namespace cli
