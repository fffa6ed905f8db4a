// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "routing/choose.hpp"

namespace halocline::routing {

/// choose() for many pairs, with the same answers: exceptions are looked up instead of searched, and facts that were seen
/// before are not judged again.
class Chooser {
 public:
  /// Takes the first of two exceptions for one pair, which the policy's check() refuses.
  explicit Chooser(Policy policy);
  /// Throws as routing::choose() does.
  [[nodiscard]] Route choose(subdomain_id from, subdomain_id to, const PairFacts& facts);

 private:
  struct Known {
    PairFacts facts;
    Transport transport;
    std::string reason;
  };
  [[nodiscard]] std::optional<Transport> exception_for(subdomain_id from, subdomain_id to) const;
  const Known& by_facts(subdomain_id from, subdomain_id to, const PairFacts& facts);

  Policy policy_;
  std::map<std::pair<subdomain_id, subdomain_id>, Transport> exceptions_;
  std::vector<Known> known_;  ///< the latest few
  std::size_t next_ = 0;      ///< whose place the next one takes
};

}  // namespace halocline::routing
