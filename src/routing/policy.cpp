// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "core/printable.hpp"
#include "core/trimmed.hpp"
#include "halocline/error.hpp"
#include "halocline/routing.hpp"
#include "routing/choose.hpp"

namespace halocline::routing {
namespace {

std::string names_of(const auto& transports) {
  std::string names;
  for (const Transport transport : transports) {
    names += fmt::format("{}{}", names.empty() ? "" : ",", to_string(transport));
  }
  return names;
}

constexpr std::size_t most_shown = 40;  ///< bytes of a word in an error

[[noreturn]] void refuse(std::string_view subject, std::string_view text, std::string_view why) {
  throw InvalidArgument(fmt::format(
      "{} '{}': {}; allowed are {}, comma-separated, by preference, or each with a '-' before it to forbid it", subject,
      printable(text, 2 * most_shown), why, names_of(all_transports)));
}

}  // namespace

std::string_view to_string(Transport transport) {
  switch (transport) {
    case Transport::self: return "self";
    case Transport::direct: return "direct";
    case Transport::peer_copy: return "peer_copy";
    case Transport::ipc_copy: return "ipc_copy";
    case Transport::mpi_device: return "mpi_device";
    case Transport::mpi_staged: return "mpi_staged";
    case Transport::net: return "net";
    case Transport::nccl: return "nccl";
  }
  throw InternalError("a Transport without a name");
}

Transport transport_from_string(std::string_view name) {
  for (const Transport transport : all_transports) {
    if (to_string(transport) == name) return transport;
  }
  throw InvalidArgument(fmt::format("transport is '{}'; allowed are {}", name, names_of(all_transports)));
}

std::string_view to_string(NetEngine engine) {
  switch (engine) {
    case NetEngine::automatic: return "auto";
    case NetEngine::mpi: return "mpi";
    case NetEngine::ucx: return "ucx";
  }
  throw InternalError("a NetEngine without a name");
}

NetEngine net_engine_from_string(std::string_view name) {
  for (const NetEngine engine : {NetEngine::automatic, NetEngine::mpi, NetEngine::ucx}) {
    if (to_string(engine) == name) return engine;
  }
  throw InvalidArgument(fmt::format("net engine is '{}'; allowed are auto, mpi, ucx", name));
}

Policy Policy::parse(std::string_view text, std::string_view subject) {
  std::vector<Transport> allowed;
  std::vector<Transport> forbidden;
  for (std::string_view rest = text;;) {
    const auto comma = rest.find(',');
    std::string_view word = trimmed(rest.substr(0, comma));
    const bool forbids = word.starts_with('-');
    if (forbids) word.remove_prefix(1);
    const auto known = std::find_if(all_transports.begin(), all_transports.end(),
                                    [word](Transport t) { return to_string(t) == word; });
    if (known == all_transports.end())
      refuse(subject, text, fmt::format("'{}' is no transport", printable(word, most_shown)));
    auto& list = forbids ? forbidden : allowed;
    const bool again = std::find(list.begin(), list.end(), *known) != list.end();
    if (again) refuse(subject, text, fmt::format("'{}' is listed twice", word));
    list.push_back(*known);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (!allowed.empty() && !forbidden.empty()) refuse(subject, text, "some are allowed and some are forbidden");

  Policy policy;
  if (allowed.empty()) {
    std::erase_if(policy.order, [&](Transport transport) {
      return std::find(forbidden.begin(), forbidden.end(), transport) != forbidden.end();
    });
    if (policy.order.empty()) refuse(subject, text, "nothing is left");
  } else {
    // A list of transports between subdomains is not meant to forbid a subdomain's messages to itself.
    if (std::find(allowed.begin(), allowed.end(), Transport::self) == allowed.end()) {
      allowed.insert(allowed.begin(), Transport::self);
    }
    policy.order = allowed;
  }
  return policy;
}

std::string Policy::text() const { return names_of(order); }

bool may_use(const Policy& policy, Transport transport) {
  return std::ranges::find(policy.order, transport) != policy.order.end() ||
         std::ranges::find(policy.exceptions, transport, &Policy::Exception::transport) != policy.exceptions.end();
}

void Policy::check() const {
  if (order.empty()) refuse("transports are", "", "nothing is allowed");
  const std::set<Transport> listed(order.begin(), order.end());
  if (listed.size() != order.size()) refuse("transports are", text(), "one is listed twice");
  std::set<std::pair<subdomain_id, subdomain_id>> pairs;
  for (const Exception& exception : exceptions) {
    if (!pairs.emplace(exception.from, exception.to).second) {
      throw InvalidArgument(fmt::format("subdomains {} -> {} have a second exception, '{}'; allowed is one a pair",
                                        exception.from.value(), exception.to.value(), to_string(exception.transport)));
    }
  }
}

}  // namespace halocline::routing
