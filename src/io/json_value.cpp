// SPDX-License-Identifier: BSD-3-Clause
#include "io/json_value.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "halocline/error.hpp"

namespace halocline::io {
namespace {

/// Texts and numbers need no memory when they are destroyed.
std::string text_of_scalar(const nlohmann::json& value, Json::Utf8 utf8) {
  using Handler = nlohmann::json::error_handler_t;
  try {
    return value.dump(-1, ' ', false, utf8 == Json::Utf8::required ? Handler::strict : Handler::replace);
  } catch (const nlohmann::json::type_error&) {
    throw InvalidArgument("a text of a document is not UTF-8; allowed is UTF-8");
  }
}

bool is_member(const Json& item) { return item.elements().size() == 2 && item.elements().front().if_text() != nullptr; }

}  // namespace

Json::Json(Object members) : value_(std::move(members)) {}

Json::Json(std::initializer_list<Json> items) {
  if (items.size() == 0 || !std::ranges::all_of(items, is_member)) {
    value_ = Array(items);
    return;
  }
  Object object;
  for (const Json& item : items) object.push_back({*item.elements()[0].if_text(), item.elements()[1]});
  value_ = std::move(object);
}

Json Json::array(std::initializer_list<Json> items) { return Json(Array(items)); }

Json Json::object() { return Json(Object()); }

std::optional<double> Json::if_number() const {
  if (const auto* number = std::get_if<double>(&value_)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*number);
  return std::nullopt;
}

const Json::Array& Json::elements() const {
  static const Array none;
  const auto* found = std::get_if<Array>(&value_);
  return found == nullptr ? none : *found;
}

Json::Array& Json::elements() {
  if (!is_array()) throw InternalError("elements of a JSON value that is no array");
  return std::get<Array>(value_);
}

const Json::Object& Json::members() const {
  static const Object none;
  const auto* found = std::get_if<Object>(&value_);
  return found == nullptr ? none : *found;
}

const Json* Json::find(std::string_view key) const {
  const auto found = std::ranges::find(members(), key, &Member::key);
  return found == members().end() ? nullptr : &found->value;
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Object();
  if (!is_object()) throw InternalError("a member of a JSON value that is no object");
  auto& all = std::get<Object>(value_);
  const auto found = std::ranges::find(all, key, &Member::key);
  return found == all.end() ? all.emplace_back(Member{std::string(key), Json()}).value : found->value;
}

void Json::update(const Json& object) {
  for (const auto& [key, value] : object.members()) (*this)[key] = value;
}

void Json::push_back(Json item) {
  if (is_null()) value_ = Array();
  elements().push_back(std::move(item));
}

bool Json::operator==(const Json& other) const { return value_ == other.value_; }

std::string Json::dump(Utf8 utf8) const {
  std::string text;
  append_to(text, utf8, std::nullopt);
  return text;
}

std::string Json::indented() const {
  std::string text;
  append_to(text, Utf8::replaced, 0);
  return text;
}

void Json::append_to(std::string& text, Utf8 utf8, std::optional<std::size_t> indent) const {
  if (!is_array() && !is_object()) {
    text += std::visit(
        [utf8](const auto& value) -> std::string {
          using Value = std::remove_cvref_t<decltype(value)>;
          if constexpr (std::same_as<Value, Null>) return "null";
          else if constexpr (std::same_as<Value, Array> || std::same_as<Value, Object>) return {};
          else return text_of_scalar(value, utf8);
        },
        value_);
    return;
  }
  const std::size_t count = is_array() ? elements().size() : members().size();
  text += is_array() ? '[' : '{';
  const std::optional<std::size_t> within = indent ? std::optional(*indent + 2) : std::nullopt;
  const auto new_line = [&](std::size_t columns) {
    text += '\n';
    text.append(columns, ' ');
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    if (within) new_line(*within);
    if (is_object()) {
      text += text_of_scalar(members()[i].key, utf8);
      text += indent ? ": " : ":";
    }
    (is_array() ? elements()[i] : members()[i].value).append_to(text, utf8, within);
  }
  if (indent && count > 0) new_line(*indent);
  text += is_array() ? ']' : '}';
}

}  // namespace halocline::io
