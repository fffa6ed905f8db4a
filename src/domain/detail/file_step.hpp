// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <utility>

#include "comm/in_step.hpp"
#include "comm/phase.hpp"
#include "domain/internals.hpp"

namespace halocline {

/// Runs a collective function of files of a realized domain; call: of static storage. Errors that the ranks agree on leave the domain usable.
template <typename Step>
auto file_step(const Domain& domain, std::string_view call, Step&& step) {
  internals(domain).check_realized(call);
  const comm::Phase phase(call);
  return comm::agreed_or_out_of_step(internals(domain).comm(), std::forward<Step>(step));
}

}  // namespace halocline
