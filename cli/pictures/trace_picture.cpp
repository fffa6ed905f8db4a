// SPDX-License-Identifier: BSD-3-Clause
#include "pictures/trace_picture.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "halocline/error.hpp"
#include "io/json_cursor.hpp"
#include "pictures/axis.hpp"
#include "pictures/svg.hpp"

namespace cli {
namespace {

using halocline::InvalidArgument;
using halocline::io::JsonCursor;

constexpr std::size_t most_tracks = 400;
constexpr std::size_t most_arrows = 300;
constexpr double shortest_timeline = 1;  ///< us
constexpr double timeline_margin = 20;
constexpr double timeline_row = 18;
constexpr double timeline_width = 900;

/// What slices are, in the order of the legend; the whole exchange is the ground of the others.
constexpr std::array<std::string_view, 14> timeline_kinds{
    "pack",     "copy",        "put",        "unpack",       "wait ready", "wait arrived", "wait sent",
    "MPI send", "MPI receive", "post ready", "post arrived", "all cells",  "interior",     "boundary"};

Rgb colour_of(std::string_view kind) {
  if (kind == "exchange") return {225, 225, 225};
  if (kind == "interior" || kind == "all cells") return {140, 140, 140};
  if (kind == "boundary") return {70, 70, 70};
  if (kind.starts_with("post")) return {170, 60, 60};
  if (kind.starts_with("wait"))
    return kind == "wait ready" ? Rgb{240, 228, 66} : (kind == "wait sent" ? Rgb{165, 160, 130} : Rgb{215, 211, 190});
  const auto place = static_cast<std::size_t>(std::ranges::find(timeline_kinds, kind) - timeline_kinds.begin());
  return kind_colour(place < 4 ? place : place - 3);
}

struct TimelineSlice {
  std::pair<int, int> track;  ///< rank, thread
  std::string kind;
  std::string name;
  std::string message;  ///< the same at both ends; empty if it is of several
  double begin = 0;     ///< us
  double end = 0;
};

struct TimelineTrace {
  std::map<std::pair<int, int>, std::string> tracks;
  std::vector<TimelineSlice> slices;  ///< of one exchange
};

std::string message_of(const JsonCursor& arguments) {
  const auto from = arguments.find("from");
  if (!from) return "";
  const auto direction = arguments.find("direction");
  return fmt::format("{} {} {} {}", from->integer(), arguments.at("to").integer(), arguments.at("part").integer(),
                     direction ? direction->text() : "");
}

double microseconds(const JsonCursor& json, double least) {
  constexpr double most = 1e15;  // 30 years
  const double value = json.number();
  if (value < least || value > most) json.refuse(fmt::format("a number from {} to {}", least, most));
  return value;
}

bool is_slice(const JsonCursor& event) { return event.at("ph").text() == "X"; }
std::int64_t step_of(const JsonCursor& event) { return event.at("args").at("step").integer(); }

std::set<std::int64_t> steps_of(const std::vector<JsonCursor>& events) {
  std::set<std::int64_t> steps;
  for (const JsonCursor& event : events) {
    if (is_slice(event)) steps.insert(step_of(event));
  }
  if (steps.empty()) throw InvalidArgument("the trace has no slices; allowed is 1 or more");
  return steps;
}

TimelineTrace read(const std::vector<JsonCursor>& events, std::int64_t step) {
  TimelineTrace trace;
  for (const JsonCursor& event : events) {
    const std::pair track(event.at("pid").small(0), event.at("tid").small(0));
    if (event.at("ph").text() == "M" && event.at("name").text() == "thread_name")
      trace.tracks[track] = event.at("args").at("name").text();
    if (!is_slice(event) || step_of(event) != step) continue;
    const double begin = microseconds(event.at("ts"), -1e15);
    trace.slices.push_back({track, event.at("cat").text(), event.at("name").text(), message_of(event.at("args")), begin,
                            begin + microseconds(event.at("dur"), 0)});
    trace.tracks.try_emplace(track, fmt::format("thread {}", track.second));
  }
  std::erase_if(trace.tracks, [&](const auto& track) {
    return std::ranges::find(trace.slices, track.first, &TimelineSlice::track) == trace.slices.end();
  });
  if (trace.tracks.size() > most_tracks) {
    throw InvalidArgument(
        fmt::format("the trace has {} tracks; allowed in a picture are at most {}", trace.tracks.size(), most_tracks));
  }
  return trace;
}

class Timeline {
 public:
  explicit Timeline(TimelineTrace trace) : trace_(std::move(trace)) {
    begin_ = std::ranges::min(trace_.slices, {}, &TimelineSlice::begin).begin;
    end_ = std::max(std::ranges::max(trace_.slices, {}, &TimelineSlice::end).end, begin_ + shortest_timeline);
    std::size_t longest = 10;
    for (const auto& [track, name] : trace_.tracks) longest = std::max(longest, name.size());
    left_ = 2 * timeline_margin + 0.5 * 12 * static_cast<double>(longest);
  }

  std::string svg(const std::string& title) {
    svg_.text({timeline_margin, timeline_margin}, title, {.bold = true});
    legend();
    rows();
    ticks();
    // The wholes first, so that their parts are seen; the longer first.
    std::ranges::stable_sort(trace_.slices, std::greater<>{}, [](const TimelineSlice& s) { return s.end - s.begin; });
    for (const TimelineSlice& slice : trace_.slices) draw(slice);
    arrows();
    return svg_.document(left_ + timeline_width + 2 * timeline_margin, bottom_ + 50, title);
  }

 private:
  [[nodiscard]] double x_of(double time) const { return left_ + timeline_width * (time - begin_) / (end_ - begin_); }

  void legend() {
    double x = timeline_margin;
    for (const std::string_view kind : timeline_kinds) {
      if (std::ranges::find(trace_.slices, kind, &TimelineSlice::kind) == trace_.slices.end()) continue;
      svg_.rectangle({x, timeline_margin + 18}, 14, 14, colour_of(kind));
      svg_.text({x + 20, timeline_margin + 25}, std::string(kind));
      x += 40 + letter_width * static_cast<double>(kind.size());
    }
  }

  void rows() {
    double y = timeline_margin + 44;
    int rank = -1;
    // By name within a rank: the devices, then the host.
    std::vector<std::pair<std::pair<int, std::string>, std::pair<int, int>>> order;
    for (const auto& [track, name] : trace_.tracks) order.push_back({{track.first, name}, track});
    std::ranges::sort(order);
    for (const auto& [key, track] : order) {
      if (key.first != rank) {
        rank = key.first;
        y += 8;
        svg_.text({timeline_margin, y + timeline_row / 2}, fmt::format("rank {}", rank), {.bold = true});
        y += timeline_row;
      }
      svg_.text({left_ - 8, y + timeline_row / 2}, key.second, {.anchor = "end", .size = 11});
      svg_.line({left_, y + timeline_row}, {left_ + timeline_width, y + timeline_row}, {{235, 235, 235}, 0.6, false});
      y_of_[track] = y;
      y += timeline_row;
    }
    bottom_ = y;
  }

  void ticks() {
    for (const double tick : linear_ticks(0, end_ - begin_)) {
      const double x = x_of(begin_ + tick);
      svg_.line({x, timeline_margin + 44}, {x, bottom_ + 4}, {{215, 215, 215}, 0.6, false});
      svg_.text({x, bottom_ + 16}, tick_text(tick), {.anchor = "middle"});
    }
    svg_.text({left_ + timeline_width / 2, bottom_ + 36}, "time since the begin of the exchange, us",
              {.anchor = "middle"});
  }

  void draw(const TimelineSlice& slice) {
    const double inset = slice.kind == "exchange" ? 1 : 3;
    const double x = x_of(slice.begin);
    svg_.rectangle({x, y_of_.at(slice.track) + inset}, std::max(x_of(slice.end) - x, 0.7), timeline_row - 2 * inset,
                   colour_of(slice.kind),
                   fmt::format("{}: {} us", slice.name, fmt::format("{:.3f}", slice.end - slice.begin)));
  }

  /// From the end of what sends a message to the end of what receives it.
  void arrows() {
    std::map<std::string, const TimelineSlice*> sent;
    for (const TimelineSlice& slice : trace_.slices) {
      if (slice.message.empty()) continue;
      if (slice.kind == "put" || slice.kind == "MPI send" || (slice.kind == "copy" && !sent.contains(slice.message))) {
        sent[slice.message] = &slice;
      }
    }
    if (sent.size() > most_arrows) return;
    for (const TimelineSlice& slice : trace_.slices) {
      if (slice.kind != "wait arrived" && slice.kind != "MPI receive") continue;
      const auto from = sent.find(slice.message);
      if (from == sent.end()) continue;
      const auto& [message, send] = *from;
      const double start = slice.kind == "MPI receive" ? send->begin : std::min(send->end, slice.end);
      svg_.line({x_of(start), y_of_.at(send->track) + timeline_row / 2},
                {x_of(slice.end), y_of_.at(slice.track) + timeline_row / 2}, {{90, 90, 90}, 0.5, false});
    }
  }

  TimelineTrace trace_;
  double begin_ = 0, end_ = 0;
  double left_ = 0, bottom_ = 0;
  std::map<std::pair<int, int>, double> y_of_;
  Svg svg_;
};

}  // namespace

std::string timeline_svg(const Json& document, std::optional<std::int64_t> step, const std::string& file) {
  // Errors of its content name the file.
  const auto of_file = [&](const auto& body) {
    try {
      return body();
    } catch (const InvalidArgument& error) {
      refuse("FILE", file, fmt::format("a trace that --trace wrote ({})", error.what()));
    }
  };
  const std::vector<JsonCursor> events = of_file([&] { return JsonCursor(document).at("traceEvents").items(); });
  const std::set<std::int64_t> steps = of_file([&] { return steps_of(events); });
  if (step && !steps.contains(*step))
    refuse("--step", fmt::format("{}", *step), fmt::format("one of {}", fmt::join(steps, ", ")));
  TimelineTrace trace = of_file([&] { return read(events, step.value_or(*steps.rbegin())); });
  return Timeline(std::move(trace)).svg(fmt::format("An exchange of {}", file));
}

}  // namespace cli
