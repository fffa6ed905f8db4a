// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "machine/synthetic.hpp"
#include "model/experiments.hpp"

namespace halocline::model {
namespace {

using machine::ExchangeRate;
using machine::HaloPath;

/// So that files are short to read.
double four_digits(double value) {
  const std::string text = fmt::format("{:.4g}", value);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Bytes of the kind that a device moves, and nothing else.
Load::Bytes own_bytes(const Load& load, const ExchangeRate& kind) {
  const Load::Bytes& all = kind.path == HaloPath::local ? load.local : load.out;
  Load::Bytes own;
  for (const auto& [key, bytes] : all) {
    if (key.first == kind.rows) own[key] = bytes;
  }
  return own;
}

double bytes_of(const ExchangeRate& kind, std::int64_t size, std::int64_t large, int devices) {
  const Experiment made = experiment(kind, {size, large}, devices);
  double bytes = 0;
  for (const auto& [key, count] : own_bytes(load_of(made.geometry(), subdomain_id(0), made.tuning), kind)) {
    bytes += static_cast<double>(count);
  }
  return bytes;
}

/// A machine of one node with these rates.
machine::MachineMap machine_with(std::vector<ExchangeRate> rates, int devices) {
  machine::MachineMap map = machine::synthetic({.devices_per_node = devices});
  map.types.front().exchange_rates = std::move(rates);
  return map;
}

/// How long the cells of the other path take in the larger experiment.
double others_seconds(const ExchangeRate& kind, const Predictor& alone, std::int64_t large, int devices) {
  const Experiment made = experiment(kind, {large, large}, devices);
  Load load = load_of(made.geometry(), subdomain_id(0), made.tuning);
  if (kind.path == HaloPath::local) {
    load.local.clear();
  } else {
    load.out.clear();
    load.in.clear();
  }
  return alone.predict(load).seconds();
}

ExchangeRate line_through(const Trial& trial, double small_bytes, double large_bytes) {
  // Times of a kind differ by as much from one run to another: a flatter line cannot be told from this one.
  constexpr double flattest = 1.0 / 16;
  const double slope =
      std::max((trial.large - trial.small) / (large_bytes - small_bytes), flattest * trial.large / large_bytes);
  const double latency = trial.large - slope * large_bytes;
  ExchangeRate rate = trial.kind;
  // Where it takes ever longer for more bytes there is no such line: then the larger one determines the rate.
  rate.bandwidth = four_digits(latency >= 0 ? 1 / slope : large_bytes / trial.large);
  rate.latency = four_digits(std::max(latency, 0.0));
  rate.least = four_digits(trial.least);
  return rate;
}

}  // namespace

Fitted fit(std::span<const Trial> trials, std::int64_t large, int devices) {
  Fitted fitted;
  std::vector<ExchangeRate> alone;
  for (const Trial& trial : trials) {
    const double small_bytes = bytes_of(trial.kind, smaller_than(large), large, devices);
    const double large_bytes = bytes_of(trial.kind, large, large, devices);
    const ExchangeRate rate = line_through(trial, small_bytes, large_bytes);
    if (!rate.concurrent) {
      alone.push_back(rate);
      fitted.rates.push_back(rate);
      continue;
    }
    const Predictor predictor(machine_with(alone, devices));
    constexpr double most = 0.8;
    if (predictor.why_not().empty() && others_seconds(trial.kind, predictor, large, devices) > most * trial.large) {
      // Filled in its place: GCC 12 warns of reading beyond a short text where this is moved.
      Fitted::LeftOut& left_out = fitted.left_out.emplace_back();
      left_out.kind = trial.kind;
      left_out.reason = "the cells of the other path take most of the time";
    } else {
      fitted.rates.push_back(rate);
    }
  }
  return fitted;
}

}  // namespace halocline::model
