// SPDX-License-Identifier: BSD-3-Clause
#include "common/command_trace.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/parse.hpp"
#include "cli/table.hpp"

namespace apps {

void refuse_traced(const cli::Options& options, bool given, const char* option) {
  if (options.trace && given) cli::refuse_together("--trace", option);
}

RunTrace::RunTrace(cli::Context& context) {
  if (!context.options.trace) return;
  path_ = *context.options.trace;
  file_.emplace(context, path_);
}

void RunTrace::set_steps(std::int64_t first, std::int64_t last, std::int64_t steps) {
  begin_ = std::max(first, last - steps);
  last_ = last;
}

std::int64_t RunTrace::next(std::int64_t step) const { return file_ && step < begin_ ? begin_ : last_; }

void RunTrace::at(std::int64_t step, halocline::Domain& domain) {
  if (!file_) return;
  if (step == begin_) file_->start(domain);
  if (step == last_) file_->write(domain);
}

void RunTrace::report(const cli::Context& context, cli::Json& document) const {
  if (!file_) return;
  document["trace"] = path_;
  context.print_text(fmt::format("trace       {} (the last {})\n", path_, cli::plural(last_ - begin_, "step")));
}

}  // namespace apps
