// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "context.hpp"
#include "postmortem/diagnosis.hpp"

namespace cli::postmortem {

/// "rank 1 has not started exchange 4: ..." in one sentence.
[[nodiscard]] std::string sentence(const Root& root, const Diagnosis& diagnosis);
/// "waits for subdomain 2 -> 4 (direct) from rank 1 in exchange 4"
[[nodiscard]] std::string wait_text(const Wait& wait);
/// "rank 0: in finish() of exchange 4 for 2.0 s; ..."
[[nodiscard]] std::string state_text(const State& state);

/// Lines for people.
[[nodiscard]] std::string report_text(const Diagnosis& diagnosis);
[[nodiscard]] Json report_json(const Diagnosis& diagnosis);
[[nodiscard]] Json json_of(const State& state);
[[nodiscard]] Json json_of(const Wait& wait);

}  // namespace cli::postmortem
