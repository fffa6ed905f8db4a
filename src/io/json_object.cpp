#include <cmath>

#include "halocline/core/error.hpp"
#include "halocline/io/json.hpp"
#include "io/pretty.hpp"

namespace halocline::io {
namespace {

Json parsed(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw InternalError("a part of a document is no JSON: " + std::string(error.what()));
  }
}

}  // namespace

struct JsonObject::Implementation {
  Json object = Json::object();

  void set(std::string_view key, Json value) {
    if (object.contains(key)) throw InternalError("key '" + std::string(key) + "' of a document is set twice");
    object[std::string(key)] = std::move(value);
  }
};

JsonObject::JsonObject() : implementation_(std::make_unique<Implementation>()) {}
JsonObject::JsonObject(std::string_view schema) : JsonObject() { text("schema", schema); }
JsonObject::JsonObject(JsonObject&& other) noexcept = default;
JsonObject& JsonObject::operator=(JsonObject&& other) noexcept = default;
JsonObject::~JsonObject() = default;

JsonObject& JsonObject::text(std::string_view key, std::string_view value) {
  implementation_->set(key, std::string(value));
  return *this;
}

JsonObject& JsonObject::integer(std::string_view key, std::int64_t value) {
  implementation_->set(key, value);
  return *this;
}

JsonObject& JsonObject::number(std::string_view key, double value) {
  implementation_->set(key, std::isfinite(value) ? Json(value) : Json(nullptr));
  return *this;
}

JsonObject& JsonObject::flag(std::string_view key, bool value) {
  implementation_->set(key, value);
  return *this;
}

JsonObject& JsonObject::json(std::string_view key, std::string_view value) {
  implementation_->set(key, parsed(value));
  return *this;
}

std::string JsonObject::str() const { return pretty(implementation_->object); }

std::string json_array(std::span<const std::string> values) {
  Json array = Json::array();
  for (const std::string& value : values) array.push_back(parsed(value));
  return pretty(array);
}

}  // namespace halocline::io
