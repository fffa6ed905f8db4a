// SPDX-License-Identifier: BSD-3-Clause
#include "domain/tuned_options.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <utility>

#include "halocline/error.hpp"
#include "routing/messages.hpp"
#include "tune/candidates.hpp"

namespace halocline {
namespace {

[[noreturn]] void refuse_setting(const std::string& name, const std::string& value) {
  throw InvalidArgument(fmt::format("setting {} is '{}'; allowed is a setting of this version", name, value));
}

std::int64_t setting_as_integer(const std::string& name, const std::string& value) {
  std::int64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || stop != end || number < 0) refuse_setting(name, value);
  return number;
}

Vec3 setting_as_grid(const std::string& name, const std::string& value) {
  std::array<std::int64_t, 3> parts{};
  std::size_t begin = 0;
  for (std::size_t dim = 0; dim < 3; ++dim) {
    const std::size_t end = dim < 2 ? value.find(',', begin) : value.size();
    if (end == std::string::npos) refuse_setting(name, value);
    parts[dim] = setting_as_integer(name, value.substr(begin, end - begin));
    begin = end + 1;
  }
  return {parts[0], parts[1], parts[2]};
}

routing::Transport setting_as_transport(const std::string& name, const std::string& value) {
  for (const auto transport : routing::all_transports) {
    if (to_string(transport) == value) return transport;
  }
  refuse_setting(name, value);
}

routing::Messages setting_as_messages(const std::string& name, const std::string& value) {
  for (const auto messages : routing::fixed_messages) {
    if (to_string(messages) == value) return messages;
  }
  refuse_setting(name, value);
}

}  // namespace

DomainOptions with_settings(DomainOptions options, const io::Settings& settings) {
  for (const auto& [name, value] : settings) {
    if (name == tune::first_setting) {
      options.routing.policy = tune::preferring(std::move(options.routing.policy), setting_as_transport(name, value));
    } else if (name == tune::messages_setting) {
      options.routing.messages = setting_as_messages(name, value);
    } else if (name == tune::node_grid_setting) {
      options.partition.method = partition::Method::given;
      options.partition.node_grid = setting_as_grid(name, value);
    } else if (name == tune::device_grid_setting) {
      options.partition.method = partition::Method::given;
      options.partition.device_grid = setting_as_grid(name, value);
    } else if (name == tune::pack_rows_setting) {
      options.tuning.pack_short_rows_from_bytes = setting_as_integer(name, value);
    } else if (name == tune::chunk_setting) {
      options.tuning.staging_chunk_bytes = setting_as_integer(name, value);
    } else if (name == tune::zero_copy_setting) {
      options.tuning.zero_copy_at_most_bytes = setting_as_integer(name, value);
    } else if (name == tune::packets_setting) {
      options.tuning.packets_at_most_bytes = setting_as_integer(name, value);
    } else {
      refuse_setting(name, value);
    }
  }
  return options;
}

}  // namespace halocline
