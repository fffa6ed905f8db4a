// SPDX-License-Identifier: BSD-3-Clause
#include "comm/phase.hpp"

namespace halocline::comm {
namespace {

thread_local std::string_view current_phase;

}  // namespace

Phase::Phase(std::string_view call) : outermost_(current_phase.empty()) {
  if (outermost_) current_phase = call;
}

Phase::~Phase() {
  if (outermost_) current_phase = {};
}

std::string_view Phase::current() { return current_phase; }

}  // namespace halocline::comm
