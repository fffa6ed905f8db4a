// SPDX-License-Identifier: BSD-3-Clause
#include "routing/chooser.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "halocline/error.hpp"
#include "routing/detail/choose.hpp"
#include "routing/detail/possible.hpp"

namespace halocline::routing {
namespace {

/// Facts differ by the relation of the two places and by what was found for a pair. There are few relations; if the
/// findings differ more than this, nothing is saved.
constexpr std::size_t most_known = 16;

}  // namespace

Chooser::Chooser(Policy policy) : policy_(std::move(policy)) {
  for (const Policy::Exception& e : policy_.exceptions) exceptions_.try_emplace({e.from, e.to}, e.transport);
}

std::optional<Transport> Chooser::exception_for(subdomain_id from, subdomain_id to) const {
  const auto found = exceptions_.find({from, to});
  return found == exceptions_.end() ? std::nullopt : std::optional(found->second);
}

const Chooser::Known& Chooser::by_facts(subdomain_id from, subdomain_id to, const PairFacts& facts) {
  const auto found = std::ranges::find_if(known_, [&](const Known& known) { return known.facts == facts; });
  if (found != known_.end()) return *found;
  auto [transport, reason] = by_policy(from, to, facts, policy_);
  if (known_.size() < most_known) return known_.emplace_back(Known{facts, transport, std::move(reason)});
  Known& oldest = known_[next_];
  next_ = (next_ + 1) % most_known;
  return oldest = {facts, transport, std::move(reason)};
}

Route Chooser::choose(subdomain_id from, subdomain_id to, const PairFacts& facts) {
  const auto route = [&](Transport transport, std::string reason) {
    return Route{from, to, transport, std::move(reason), true, in_place(facts).yes};
  };
  const auto excepted = [&](Transport wanted, std::string_view whose) {
    return route(wanted, by_exception(wanted, facts, whose).reason);
  };
  if (const auto wanted = exception_for(from, to)) {
    if (const Verdict answer = possible(*wanted, facts); !answer.yes) {
      throw CapabilityError(fmt::format("subdomains {} -> {} are to use {} by exception, but that is not possible: {}",
                                        from.value(), to.value(), to_string(*wanted), answer.why_not));
    }
    return excepted(*wanted, "this pair");
  }
  if (const auto wanted = exception_for(to, from); wanted && possible(*wanted, facts).yes) {
    return excepted(*wanted, "the opposite direction");
  }
  const Known& known = by_facts(from, to, facts);
  return route(known.transport, known.reason);
}

Route choose(subdomain_id from, subdomain_id to, const PairFacts& facts, const Policy& policy) {
  return Chooser(policy).choose(from, to, facts);
}

}  // namespace halocline::routing
