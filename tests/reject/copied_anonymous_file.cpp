// SPDX-License-Identifier: BSD-3-Clause
// Two owners of one mapping would unmap it twice.
// expect: deleted
#include <utility>

#include "core/anonymous_file.hpp"

using halocline::AnonymousFile;

#ifdef HC_CONTROL
AnonymousFile take(AnonymousFile& file) { return std::move(file); }
#else
AnonymousFile take(AnonymousFile& file) { return file; }
#endif
