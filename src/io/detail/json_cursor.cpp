// SPDX-License-Identifier: BSD-3-Clause
#include "io/detail/json_cursor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/limits.hpp"
#include "halocline/error.hpp"

namespace halocline::io {
namespace {

/// Formats a value for an error message: short, and without descending into a value that may be nested without end.
std::string shown(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

/// Values within values: one function call each where a document is written or compared. No document of Halocline has more than 10.
constexpr int most_nesting = 64;

/// Refuses duplicate keys in one object, objects with more keys than can be looked up one after the other, and deep nesting.
class Keys final : public nlohmann::json_sax<Json> {
 public:
  bool start_object(std::size_t) override {
    seen_.emplace_back();
    return enter();
  }
  bool end_object() override {
    seen_.pop_back();
    --nesting_;
    return true;
  }
  bool key(std::string& name) override {
    if (!seen_.back().insert(name).second) {
      throw InvalidArgument(fmt::format("key {} is given twice in one object; allowed is once", shown(Json(name))));
    }
    if (std::cmp_greater(seen_.back().size(), limits::keys_of_object)) {
      throw InvalidArgument(
          fmt::format("an object has more than {} keys; allowed is at most that, key {} is one too many",
                      limits::keys_of_object, shown(Json(name))));
    }
    return true;
  }
  // Text that is not JSON is refused by the parser, with its own message.
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(Json::number_integer_t) override { return true; }
  bool number_unsigned(Json::number_unsigned_t) override { return true; }
  bool number_float(Json::number_float_t, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(Json::binary_t&) override { return true; }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override {
    --nesting_;
    return true;
  }

 private:
  bool enter() {
    if (++nesting_ <= most_nesting) return true;
    throw InvalidArgument(
        fmt::format("the document has values nested more than {0} deep; allowed is at most {0}", most_nesting));
  }

  int nesting_ = 0;
  std::vector<std::set<std::string>> seen_;  ///< keys of each open object
};

}  // namespace

Json parse_document(std::string_view text) {
  // A separate pass, because a parser with callbacks walks through the whole array at the end of each object in it.
  Keys keys;
  static_cast<void>(Json::sax_parse(text, &keys));
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw InvalidArgument(fmt::format("the document is no JSON: {}", error.what()));
  }
}

void JsonCursor::refuse(std::string_view allowed) const {
  throw InvalidArgument(
      fmt::format("{} is {}; allowed is {}", path_.empty() ? "the document" : path_, shown(*value_), allowed));
}

void JsonCursor::keys(std::initializer_list<std::string_view> allowed) const {
  if (!value_->is_object()) refuse("an object");
  for (auto item = value_->begin(); item != value_->end(); ++item) {
    if (std::find(allowed.begin(), allowed.end(), item.key()) != allowed.end()) continue;
    std::string names;
    for (const std::string_view key : allowed) names += fmt::format("{}{}", names.empty() ? "" : ", ", key);
    throw InvalidArgument(fmt::format("{} has the unknown key {}; allowed are {}",
                                      path_.empty() ? "the document" : path_, shown(Json(item.key())), names));
  }
}

std::optional<JsonCursor> JsonCursor::find(std::string_view key) const {
  if (!value_->is_object()) refuse("an object");
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return JsonCursor(*found, path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key));
}

JsonCursor JsonCursor::at(std::string_view key) const {
  if (auto found = find(key)) return *found;
  throw InvalidArgument(fmt::format("{}{}{} is missing; it is required", path_, path_.empty() ? "" : ".", key));
}

std::vector<JsonCursor> JsonCursor::items() const {
  if (!value_->is_array()) refuse("an array");
  std::vector<JsonCursor> all;
  for (std::size_t i = 0; i < value_->size(); ++i) {
    all.emplace_back((*value_)[i], fmt::format("{}[{}]", path_, i));
  }
  return all;
}

std::string JsonCursor::text() const {
  if (!value_->is_string()) refuse("a text");
  auto text = value_->get<std::string>();
  if (text.find('\0') != std::string::npos) refuse("a text without NUL characters");
  return text;
}

std::vector<std::string> JsonCursor::texts() const {
  std::vector<std::string> all;
  for (const JsonCursor& item : items()) all.push_back(item.text());
  return all;
}

bool JsonCursor::flag() const {
  if (!value_->is_boolean()) refuse("true or false");
  return value_->get<bool>();
}

double JsonCursor::number() const {
  if (!value_->is_number() || !std::isfinite(value_->get<double>())) refuse("a finite number");
  return value_->get<double>();
}

std::int64_t JsonCursor::integer(std::int64_t least, std::int64_t most) const {
  const std::string allowed = fmt::format("a whole number from {} to {}", least, most);
  if (!value_->is_number_integer()) refuse(allowed);
  if (value_->is_number_unsigned() &&
      value_->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    refuse(allowed);
  }
  const auto value = value_->get<std::int64_t>();
  if (value < least || value > most) refuse(allowed);
  return value;
}

}  // namespace halocline::io
