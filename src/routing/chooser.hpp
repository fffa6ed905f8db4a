// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "routing/choose.hpp"

namespace halocline::routing {

/// choose() for many pairs, with the same results: exceptions are looked up instead of searched, and the results for
/// recent facts are reused.
class Chooser {
 public:
  /// If a pair has two exceptions, which the policy's check() refuses, the first one counts.
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
  std::vector<Known> known_;  ///< the latest few results
  std::size_t next_ = 0;      ///< the entry that the next result replaces
};

}  // namespace halocline::routing
