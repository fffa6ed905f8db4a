// SPDX-License-Identifier: BSD-3-Clause
#include "comm/phase.hpp"

namespace halocline::comm {
namespace {

thread_local std::string_view outermost_call;
thread_local std::string_view innermost_call;

}  // namespace

Phase::Phase(std::string_view call) : outermost_before_(outermost_call), innermost_before_(innermost_call) {
  if (outermost_call.empty()) outermost_call = call;
  innermost_call = call;
}

Phase::~Phase() {
  outermost_call = outermost_before_;
  innermost_call = innermost_before_;
}

std::string_view Phase::outermost() { return outermost_call; }
std::string_view Phase::innermost() { return innermost_call; }

}  // namespace halocline::comm
