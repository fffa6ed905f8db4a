// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/limits.hpp"
#include "halocline/error.hpp"
#include "io/detail/shown.hpp"
#include "io/json_value.hpp"

namespace halocline::io {
namespace {

using Sax = nlohmann::json_sax<nlohmann::json>;

/// Makes values of what the parser finds. Each function throws, or returns true: go on.
class Builder final : public Sax {
 public:
  Json take() { return std::move(root_); }

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }  // there is none in texts
  bool start_object(std::size_t /*size*/) override { return open(true); }
  bool start_array(std::size_t /*size*/) override { return open(false); }
  bool end_object() override {
    Json::Object members = std::move(open_.back().members);
    open_.pop_back();
    return add(std::move(members));
  }
  bool end_array() override {
    Json::Array elements = std::move(open_.back().elements);
    open_.pop_back();
    return add(std::move(elements));
  }
  bool key(string_t& name) override {
    Open& object = open_.back();
    if (!object.keys.insert(name).second) {
      throw InvalidArgument(fmt::format("key {} is given twice in one object; allowed is once", shown(Json(name))));
    }
    if (std::cmp_greater(object.keys.size(), limits::keys_of_object)) {
      throw InvalidArgument(
          fmt::format("an object has more than {} keys; allowed is at most that, key {} is one too many",
                      limits::keys_of_object, shown(Json(name))));
    }
    object.key = std::move(name);
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    throw InvalidArgument(fmt::format("the document is no JSON: {}", error.what()));
  }

 private:
  struct Open {
    bool is_object;
    Json::Array elements{};
    Json::Object members{};
    std::set<std::string> keys{};
    std::string key{};  ///< of the member that comes next
  };

  bool open(bool is_object) {
    if (std::ssize(open_) == most_json_nesting) {
      throw InvalidArgument(
          fmt::format("the document has values nested more than {0} deep; allowed is at most {0}", most_json_nesting));
    }
    open_.push_back({is_object});
    return true;
  }
  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Open& parent = open_.back(); parent.is_object) {
      parent.members.push_back({std::move(parent.key), std::move(value)});
    } else {
      parent.elements.push_back(std::move(value));
    }
    return true;
  }

  Json root_;
  std::vector<Open> open_;
};

}  // namespace

Json parse_document(std::string_view text) {
  Builder builder;
  static_cast<void>(nlohmann::json::sax_parse(text, &builder));
  return builder.take();
}

Json parse_document_or_null(std::string_view text) {
  try {
    return parse_document(text);
  } catch (const InvalidArgument&) {
    return {};
  }
}

}  // namespace halocline::io
