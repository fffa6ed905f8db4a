// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "context.hpp"
#include "prediction.hpp"

/// Predicted steps as text, CSV and a document.
namespace cli {

[[nodiscard]] std::string prediction_table(std::span<const PredictedRow> rows);
/// One line a row, with times in seconds.
[[nodiscard]] std::string prediction_csv(const PredictFlags& flags, std::span<const PredictedRow> rows);
[[nodiscard]] Json prediction_json(std::span<const PredictedRow> rows);

}  // namespace cli
