// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "context.hpp"
#include "halocline/domain.hpp"
#include "io/tuning_cache.hpp"

namespace cli {

/// --tune, --retune, --tune-budget
void add_tune_options(CLI::App& app, Options& options);

/// The file of choices where none is named: tune.json in the user's folder of caches for Halocline. Throws InvalidArgument if the environment
/// names no such folder.
[[nodiscard]] std::string default_tuning_cache();

/// Tunes the domain if flags ask for it. Collective.
void tune_if_asked(const Context& context, halocline::Domain& domain);

/// A line for people; empty for a domain that was not tuned.
[[nodiscard]] std::string tuned_line(const halocline::Domain& domain);
/// Null for a domain that was not tuned.
[[nodiscard]] Json tuned_json(const halocline::Domain& domain);

/// Everything of a choice.
[[nodiscard]] Json tuned_json(const halocline::io::TunedEntry& entry);
[[nodiscard]] std::string tuned_text(const halocline::io::TunedEntry& entry);

}  // namespace cli
