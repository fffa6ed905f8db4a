// SPDX-License-Identifier: BSD-3-Clause
#include "routing/measured.hpp"

#include <algorithm>

#include "machine/rates.hpp"

namespace halocline::routing {
namespace {

MeasuredRates rates_of(const machine::NodeType& type, device_id from, device_id to) {
  MeasuredRates rates;
  for (const Transport transport : all_transports) {
    if (transport == Transport::self && from != to) continue;
    const auto there = machine::transport_rate(type, from, to, to_string(transport));
    const auto back = machine::transport_rate(type, to, from, to_string(transport));
    if (there && back) rates.emplace_back(transport, std::min(*there, *back));
  }
  return rates;
}

}  // namespace

const MeasuredRates& MeasuredPairs::between(const placement::Slot& from, const placement::Slot& to) {
  if (from.node != to.node) return none_;
  const machine::NodeType& type = machine_->type_of(from.node);
  if (type.measurements.empty()) return none_;
  const auto [known, is_new] = known_.try_emplace({&type, from.device, to.device});
  if (is_new) known->second = rates_of(type, from.device, to.device);
  return known->second;
}

}  // namespace halocline::routing
