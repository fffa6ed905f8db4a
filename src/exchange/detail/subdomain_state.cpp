// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/subdomain_state.hpp"

#include <fmt/core.h>

namespace halocline::exchange {

std::vector<device::CounterCheck> parities(const SubdomainState& state, const partition::Geometry& geometry,
                                           const Selection& selection, std::string_view what) {
  std::vector<device::CounterCheck> checks;
  for (const Selection::Item& item : selection.items) {
    const FieldDescriptor& field = geometry.fields[item.field.index()];
    if (field.buffers < 2) continue;
    const int counted = (item.buffer - item.swapped + field.buffers) % field.buffers;
    checks.push_back({&state.mailbox.flag(state.swaps[item.field.index()])->epoch,
                      static_cast<std::uint64_t>(field.buffers), static_cast<std::uint64_t>(counted),
                      fmt::format("subdomain {}: {} of buffer {} of field '{}' ran when another buffer was current; a "
                                  "captured graph must hold a full cycle of swaps",
                                  state.subdomain.id.value(), what, item.buffer, field.name)});
  }
  return checks;
}

}  // namespace halocline::exchange
