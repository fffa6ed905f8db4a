// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "halocline/error.hpp"
#include "routing/detail/choose.hpp"
#include "routing/detail/possible.hpp"

namespace halocline::routing {
namespace {

bool lists(const std::vector<Transport>& transports, Transport transport) {
  return std::find(transports.begin(), transports.end(), transport) != transports.end();
}

std::optional<double> rate_of(Transport transport, const PairFacts& facts) {
  for (const auto& [measured, rate] : facts.measured) {
    if (measured == transport && std::isfinite(rate) && rate > 0) return rate;
  }
  return std::nullopt;
}

/// Why a transport was not chosen; empty if that needs no explanation, as for `self` between two subdomains.
std::string why_not(Transport transport, const PairFacts& facts, const Policy& policy) {
  if (transport == Transport::self && !facts.same_subdomain) return "";
  if (!lists(policy.order, transport)) return fmt::format("{} not allowed by policy", to_string(transport));
  const Verdict answer = possible(transport, facts);
  return answer.yes ? "" : fmt::format("{} not possible ({})", to_string(transport), answer.why_not);
}

/// The transports that would have been tried earlier: by the policy's order, or by the default order for transports
/// that the policy leaves out.
std::string passed_over(Transport chosen, const PairFacts& facts, const Policy& policy) {
  std::string text;
  for (const Transport transport : all_transports) {
    const auto in_order = std::find(policy.order.begin(), policy.order.end(), transport);
    const bool earlier = in_order != policy.order.end()
                             ? in_order < std::find(policy.order.begin(), policy.order.end(), chosen)
                             : transport < chosen;
    if (const std::string why = why_not(transport, facts, policy); earlier && !why.empty()) text += "; " + why;
  }
  return text;
}

std::vector<Transport> candidates_of(const PairFacts& facts, const Policy& policy) {
  std::vector<Transport> candidates;
  for (const Transport transport : policy.order) {
    if (possible(transport, facts).yes) candidates.push_back(transport);
  }
  return candidates;
}

[[noreturn]] void nothing_possible(subdomain_id from, subdomain_id to, const PairFacts& facts, const Policy& policy) {
  std::string text;
  for (const Transport transport : all_transports) {
    const Verdict answer = possible(transport, facts);
    std::string why = answer.yes ? "" : answer.why_not;
    if (!lists(policy.order, transport)) {
      why += why.empty() ? "not allowed by policy" : ", and not allowed by policy";
    }
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", to_string(transport), why);
  }
  throw CapabilityError(fmt::format("no transport for subdomains {} -> {}: {}", from.value(), to.value(), text));
}

/// How much faster a transport must have been measured to replace an earlier one. The order follows the cost per
/// message apart from its bytes, and rates of the same mechanism differ by a few percent from one day to another.
constexpr double enough_faster = 1.25;

Transport fastest(const std::vector<Transport>& candidates, const PairFacts& facts) {
  Transport best = candidates.front();
  for (const Transport transport : candidates) {
    const auto rate = rate_of(transport, facts);
    const auto to_beat = rate_of(best, facts);
    if (rate && to_beat && *rate >= enough_faster * *to_beat) best = transport;
  }
  return best;
}

/// Empty if nothing was compared.
std::string measured_text(const std::vector<Transport>& candidates, const PairFacts& facts) {
  std::string text;
  int compared = 0;
  for (const Transport transport : candidates) {
    const auto rate = rate_of(transport, facts);
    if (!rate) continue;
    text += fmt::format("{} {} {:.3g} GB/s", compared++ == 0 ? "; measured, two-way:" : ",", to_string(transport),
                        *rate / 1e9);
  }
  return compared > 1 && rate_of(candidates.front(), facts) ? text : "";
}

Decision decision(Transport transport, const PairFacts& facts, const std::string& why) {
  return {transport, fmt::format("{}: {}{}", to_string(transport), why_possible(transport, facts), why)};
}

}  // namespace

Decision by_exception(Transport wanted, const PairFacts& facts, std::string_view whose) {
  return decision(wanted, facts, fmt::format("; by exception for {}", whose));
}

Decision by_policy(subdomain_id from, subdomain_id to, const PairFacts& facts, const Policy& policy) {
  const std::vector<Transport> candidates = candidates_of(facts, policy);
  if (candidates.empty()) nothing_possible(from, to, facts, policy);
  if (!policy.use_measurements)
    return decision(candidates.front(), facts, passed_over(candidates.front(), facts, policy));
  const Transport best = fastest(candidates, facts);
  return decision(best, facts, measured_text(candidates, facts) + passed_over(best, facts, policy));
}

}  // namespace halocline::routing
