// SPDX-License-Identifier: BSD-3-Clause
#include "io/tuning_cache.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/hash.hpp"
#include "halocline/error.hpp"
#include "io/detail/pretty.hpp"
#include "io/json_cursor.hpp"

namespace halocline::io {
namespace {

constexpr std::string_view cache_schema = "halocline-tune/1";
constexpr std::size_t most_settings = 64;

Json json_of_settings(const Settings& settings) {
  Json json = Json::array();
  for (const auto& [name, value] : settings) json.push_back(Json::array({name, value}));
  return json;
}

Json json_of_quantiles(const Quantiles& q) { return {{"p25", q.p25}, {"p50", q.p50}, {"p75", q.p75}}; }

Json json_of_number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json json_of_trial(const TunedTrial& trial) {
  return {{"settings", json_of_settings(trial.settings)},
          {"rounds", trial.rounds},
          {"seconds", json_of_quantiles(trial.seconds)},
          {"default_seconds", json_of_quantiles(trial.of_default)},
          {"predicted_seconds", json_of_number(trial.predicted)}};
}

Json json_of_part(const TunedKey::Part& part) { return {{"digest", part.digest}, {"text", part.text}}; }

Json json_of_entry(const TunedEntry& entry) {
  Json json{{"machine", json_of_part(entry.key.machine)},
            {"request", json_of_part(entry.key.request)},
            {"stack", json_of_part(entry.key.stack)},
            {"winner", json_of_settings(entry.winner)},
            {"confirmed", entry.confirmed ? json_of_trial(*entry.confirmed) : Json(nullptr)},
            {"predicted_seconds", json_of_number(entry.predicted)},
            {"budget_seconds", entry.budget},
            {"spent_seconds", entry.spent}};
  for (const char* list : {"trials", "skipped", "ceilings"}) json[list] = Json::array();
  for (const TunedTrial& trial : entry.trials) json["trials"].push_back(json_of_trial(trial));
  for (const TunedSkip& skip : entry.skipped) json["skipped"].push_back(Json::array({skip.what, skip.why}));
  for (const auto& [name, value] : entry.ceilings) json["ceilings"].push_back({{"name", name}, {"value", value}});
  return json;
}

Settings read_settings(const JsonCursor& json) {
  Settings settings;
  for (const JsonCursor& pair : json.items()) {
    const auto texts = pair.texts();
    if (texts.size() != 2 || settings.size() == most_settings) pair.refuse("a name and its value");
    settings[texts[0]] = texts[1];
  }
  return settings;
}

Quantiles read_quantiles(const JsonCursor& json) {
  json.keys({"p25", "p50", "p75"});
  return {json.at("p25").number(), json.at("p50").number(), json.at("p75").number()};
}

std::optional<double> read_number(const JsonCursor& json) {
  if (json.is_null()) return std::nullopt;
  return json.number();
}

TunedTrial read_trial(const JsonCursor& json) {
  json.keys({"settings", "rounds", "seconds", "default_seconds", "predicted_seconds"});
  return {read_settings(json.at("settings")), json.at("rounds").small(0), read_quantiles(json.at("seconds")),
          read_quantiles(json.at("default_seconds")), read_number(json.at("predicted_seconds"))};
}

TunedKey::Part read_part(const JsonCursor& json) {
  json.keys({"digest", "text"});
  return {json.at("digest").text(), json.at("text").text()};
}

TunedEntry read_entry(const JsonCursor& json) {
  json.keys({"machine", "request", "stack", "winner", "confirmed", "predicted_seconds", "budget_seconds",
             "spent_seconds", "trials", "skipped", "ceilings"});
  TunedEntry entry;
  entry.key = {read_part(json.at("machine")), read_part(json.at("request")), read_part(json.at("stack"))};
  entry.winner = read_settings(json.at("winner"));
  if (const JsonCursor confirmed = json.at("confirmed"); !confirmed.is_null()) entry.confirmed = read_trial(confirmed);
  entry.predicted = read_number(json.at("predicted_seconds"));
  entry.budget = json.at("budget_seconds").number();
  entry.spent = json.at("spent_seconds").number();
  for (const JsonCursor& trial : json.at("trials").items()) entry.trials.push_back(read_trial(trial));
  for (const JsonCursor& pair : json.at("skipped").items()) {
    const auto texts = pair.texts();
    if (texts.size() != 2) pair.refuse("settings and why they were skipped");
    entry.skipped.push_back({texts[0], texts[1]});
  }
  for (const JsonCursor& one : json.at("ceilings").items()) {
    one.keys({"name", "value"});
    entry.ceilings[one.at("name").text()] = one.at("value").number();
  }
  return entry;
}

std::string own_digest(const Json& entries) { return fmt::format("{:016x}", Hash().add(entries.dump()).value()); }

}  // namespace

std::string text_of(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text.empty() ? "default" : text;
}

const TunedEntry* TuningCache::find(const TunedKey& key) const {
  const auto found = std::ranges::find_if(entries, [&](const TunedEntry& entry) { return entry.key.same(key); });
  return found == entries.end() ? nullptr : &*found;
}

std::string TuningCache::why_not(const TunedKey& key) const {
  std::string why;
  for (const TunedEntry& entry : entries) {
    if (entry.key.same(key)) return {};
    if (entry.key.request.digest != key.request.digest) continue;
    if (entry.key.machine.digest != key.machine.digest) {
      if (why.empty())
        why = fmt::format("its choice for this domain is of another machine ({})", entry.key.machine.text);
    } else {
      why = fmt::format("its choice for this domain was made with other software ({}; here {})", entry.key.stack.text,
                        key.stack.text);
    }
  }
  return why;
}

void TuningCache::put(TunedEntry entry) {
  std::erase_if(entries, [&](const TunedEntry& old) { return old.key.same(entry.key); });
  entries.push_back(std::move(entry));
  if (entries.size() > most_tuned_entries) {
    entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(most_tuned_entries));
  }
}

std::string text_of(const TuningCache& cache) {
  Json entries = Json::array();
  for (const TunedEntry& entry : cache.entries) entries.push_back(json_of_entry(entry));
  const std::string digest = own_digest(entries);
  return pretty({{"schema", cache_schema}, {"entries", std::move(entries)}, {"digest", digest}});
}

TuningCache tuning_cache_from(std::string_view text, const std::string& path) {
  try {
    const Json document = parse_document(text);
    const JsonCursor json(document);
    json.keys({"schema", "entries", "digest"});
    if (json.at("schema").text() != cache_schema) json.at("schema").refuse(cache_schema);
    const auto entries = json.at("entries").items();
    // Before they are read, so that damage is reported as damage, whatever it makes of the content.
    if (json.at("digest").text() != own_digest(*document.find("entries"))) {
      throw InvalidArgument("it is damaged: its digest is another one");
    }
    TuningCache cache;
    for (const JsonCursor& entry : entries) cache.entries.push_back(read_entry(entry));
    if (text_of(cache) != text) throw InvalidArgument("it is damaged: its text is not the one that was written");
    return cache;
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("tuning cache '{}': {}", path, error.what()));
  }
}

std::string text_of(const TunedEntry& entry) { return json_of_entry(entry).dump(); }

TunedEntry tuned_entry_from(std::string_view text) {
  const Json json = parse_document(text);
  return read_entry(JsonCursor(json));
}

}  // namespace halocline::io
