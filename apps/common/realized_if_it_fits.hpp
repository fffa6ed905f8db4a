// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halocline/domain.hpp"
#include "halocline/error.hpp"

namespace apps {

/// Collective: realizes a domain with wider halos than it needs. Returns false, on all ranks, if these do not fit into subdomains or
/// into memory; the domain cannot be used then.
[[nodiscard]] inline bool realized_if_it_fits(halocline::Domain& domain) {
  try {
    domain.realize();
  } catch (const halocline::InvalidArgument&) {
    return false;
  } catch (const halocline::ResourceError&) {
    return false;
  }
  return true;
}

}  // namespace apps
