// SPDX-License-Identifier: BSD-3-Clause
#include "io/recording_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "core/event_ring.hpp"
#include "halocline/error.hpp"
#include "io/detail/pretty.hpp"
#include "io/json_cursor.hpp"

namespace halocline::io {
namespace {

constexpr std::string_view recording_schema = "halocline-recording/1";
constexpr std::int64_t most_ranks = std::int64_t{1} << 31;
constexpr std::array error_kinds{ErrorKind::invalid_argument, ErrorKind::capability, ErrorKind::resource,
                                 ErrorKind::communication,    ErrorKind::device,     ErrorKind::deadline,
                                 ErrorKind::protocol,         ErrorKind::internal};

Json json_of(const RecordedEvent& event) {
  return Json::array(
      {event.time.count(), to_string(event.kind), event.exchange, event.number, event.message, event.peer});
}

Json json_of(const RecordedMessage& message) {
  return {{"from", message.from},       {"to", message.to},          {"towards", message.towards},
          {"peer", message.peer},       {"sends", message.sends},    {"transport", message.transport},
          {"by_host", message.by_host}, {"reached", message.reached}};
}

/// How many messages of an exchange are written: all have as many as most_recorded_messages in all allow, and shorter ones leave their
/// part to the others.
std::size_t most_of_each(const std::vector<RecordedExchange>& exchanges) {
  std::vector<std::size_t> sizes;
  for (const RecordedExchange& exchange : exchanges) sizes.push_back(exchange.messages.size());
  std::ranges::sort(sizes);
  std::size_t left = most_recorded_messages;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t part = left / (sizes.size() - i);
    if (sizes[i] > part) return part;
    left -= sizes[i];
  }
  return most_recorded_messages;
}

/// With at most so many messages. What this rank still waits for comes first, so that it is not left out.
Json json_of(const RecordedExchange& exchange, std::size_t most) {
  std::vector<const RecordedMessage*> messages;
  for (const RecordedMessage& message : exchange.messages) messages.push_back(&message);
  std::int64_t left_out = exchange.messages_left_out;
  if (messages.size() > most) {
    std::ranges::stable_sort(messages, {}, [](const RecordedMessage* message) { return message->reached; });
    left_out += static_cast<std::int64_t>(messages.size() - most);
    messages.resize(most);
  }
  Json json{{"name", exchange.name},   {"started", exchange.started}, {"finished", exchange.finished},
            {"epoch", exchange.epoch}, {"unread", exchange.unread},   {"messages_left_out", left_out}};
  json["messages"] = Json::array();
  for (const RecordedMessage* message : messages) json["messages"].push_back(json_of(*message));
  return json;
}

/// The value of an enumeration whose name a text is.
template <typename Value, std::size_t N>
Value named(const JsonCursor& json, const std::array<Value, N>& all) {
  const std::string text = json.text();
  std::string allowed;
  for (const Value value : all) {
    if (to_string(value) == text) return value;
    allowed += fmt::format("{}'{}'", allowed.empty() ? "one of " : ", ", to_string(value));
  }
  json.refuse(allowed);
}

std::uint64_t whole_number(const JsonCursor& json) { return static_cast<std::uint64_t>(json.integer(0)); }

RecordedEvent read_event(const JsonCursor& json) {
  const auto items = json.items();
  if (items.size() != 6) json.refuse("6 values: time, kind, exchange, number, message, peer");
  return {Duration(items[0].integer()),
          named(items[1], all_event_kinds),
          static_cast<std::uint8_t>(items[2].integer(0, std::numeric_limits<std::uint8_t>::max())),
          whole_number(items[3]),
          items[4].small(-1),
          items[5].small(-1)};
}

RecordedMessage read_message(const JsonCursor& json, std::int64_t ranks) {
  json.keys({"from", "to", "towards", "peer", "sends", "transport", "by_host", "reached"});
  return {.from = json.at("from").integer(0),
          .to = json.at("to").integer(0),
          .peer = json.at("peer").integer(0, ranks - 1),
          .sends = json.at("sends").flag(),
          .transport = json.at("transport").text(),
          .towards = json.at("towards").text(),
          .by_host = json.at("by_host").flag(),
          .reached = whole_number(json.at("reached"))};
}

RecordedExchange read_exchange(const JsonCursor& json, std::int64_t ranks) {
  json.keys({"name", "started", "finished", "epoch", "unread", "messages_left_out", "messages"});
  RecordedExchange exchange{.name = json.at("name").text(),
                            .started = whole_number(json.at("started")),
                            .finished = whole_number(json.at("finished")),
                            .epoch = whole_number(json.at("epoch")),
                            .unread = json.at("unread").text(),
                            .messages = {},
                            .messages_left_out = json.at("messages_left_out").integer(0)};
  const auto messages = json.at("messages").items();
  if (messages.size() > most_recorded_messages) {
    json.at("messages").refuse(fmt::format("at most {} messages", most_recorded_messages));
  }
  for (const JsonCursor& message : messages) exchange.messages.push_back(read_message(message, ranks));
  return exchange;
}

Recording read_recording(const JsonCursor& json) {
  json.keys({"schema", "rank", "ranks", "domain", "pid", "host", "cause", "error", "kind", "error_of_another", "time",
             "unix_time", "events_before", "exchanges", "events"});
  if (json.at("schema").text() != recording_schema) json.at("schema").refuse(recording_schema);
  Recording recording;
  recording.ranks = json.at("ranks").integer(1, most_ranks);
  recording.rank = json.at("rank").integer(0, recording.ranks - 1);
  recording.domain = json.at("domain").integer(0);
  recording.pid = json.at("pid").integer(0);
  recording.host = json.at("host").text();
  recording.cause = named(json.at("cause"), all_recording_causes);
  recording.error = json.at("error").text();
  const JsonCursor kind = json.at("kind");
  if (!kind.is_null()) recording.kind = named(kind, error_kinds);
  recording.error_of_another = json.at("error_of_another").flag();
  recording.time = Duration(json.at("time").integer());
  recording.unix_time = json.at("unix_time").integer();
  recording.events_before = whole_number(json.at("events_before"));
  const auto exchanges = json.at("exchanges").items();
  if (exchanges.size() > most_recorded_exchanges) {
    json.at("exchanges").refuse(fmt::format("at most {} exchanges", most_recorded_exchanges));
  }
  for (const JsonCursor& exchange : exchanges) {
    recording.exchanges.push_back(read_exchange(exchange, recording.ranks));
  }
  const auto events = json.at("events").items();
  if (events.size() > EventRing::capacity) {
    json.at("events").refuse(fmt::format("at most {} events", EventRing::capacity));
  }
  for (const JsonCursor& event : events) recording.events.push_back(read_event(event));
  return recording;
}

}  // namespace

std::string text_of(const Recording& recording) {
  Json json{{"schema", recording_schema},
            {"rank", recording.rank},
            {"ranks", recording.ranks},
            {"domain", recording.domain},
            {"pid", recording.pid},
            {"host", recording.host},
            {"cause", to_string(recording.cause)},
            {"error", recording.error},
            {"kind", recording.kind ? Json(to_string(*recording.kind)) : Json(nullptr)},
            {"error_of_another", recording.error_of_another},
            {"time", recording.time.count()},
            {"unix_time", recording.unix_time},
            {"events_before", recording.events_before}};
  for (const char* list : {"exchanges", "events"}) json[list] = Json::array();
  const std::size_t most = most_of_each(recording.exchanges);
  for (const RecordedExchange& exchange : recording.exchanges) json["exchanges"].push_back(json_of(exchange, most));
  for (const RecordedEvent& event : recording.events) json["events"].push_back(json_of(event));
  return pretty(json);
}

Recording recording_from(std::string_view text, const std::string& path) {
  try {
    if (text.size() > most_recording_bytes) {
      throw InvalidArgument(fmt::format("it has {} bytes; allowed are at most {}", text.size(), most_recording_bytes));
    }
    const Json document = parse_document(text);
    return read_recording(JsonCursor(document));
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("recording '{}': {}", path, error.what()));
  }
}

std::string recording_name(std::int64_t rank, std::int64_t pid, std::int64_t domain) {
  return domain == 0 ? fmt::format("rank-{}.{}.json", rank, pid) : fmt::format("rank-{}.{}.{}.json", rank, pid, domain);
}

std::optional<RecordingName> recording_of_name(std::string_view name) {
  RecordingName found;
  const char* const last = name.data() + name.size();
  const auto number = [last](const char* from, std::int64_t& value) {
    return from < last ? std::from_chars(from, last, value).ptr : from;
  };
  constexpr std::string_view begin_of_name = "rank-";
  if (!name.starts_with(begin_of_name)) return std::nullopt;
  const char* at = number(name.data() + begin_of_name.size(), found.rank);
  at = number(std::min(at + 1, last), found.pid);
  number(std::min(at + 1, last), found.domain);
  // No other spelling of the same numbers.
  if (recording_name(found.rank, found.pid, found.domain) != name) return std::nullopt;
  return found;
}

}  // namespace halocline::io
