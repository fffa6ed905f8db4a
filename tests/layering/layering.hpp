// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace halocline::layering {

/// A violation of a rule by one line. line is 0 if it concerns the whole file.
struct Violation {
  std::string file;  ///< relative to the root of the source tree
  std::size_t line = 0;
  std::string what;
};

/// "src/comm/a.cpp:12: what"
std::string to_string(const Violation& violation);

struct Report {
  std::vector<Violation> violations;
  std::size_t files = 0;
  std::size_t includes = 0;
};

/// Checks every source file of a tree against src/LAYERS. The rules, in addition to the table's:
/// - a header is of one of three kinds: installed (include/halocline/), of a stage (src/<stage>/<name>.hpp), or private to a
///   stage (src/<stage>/<folder>/...). Installed ones include installed ones alone, those of a stage no private ones, and
///   private ones are included by their stage alone;
/// - each header of include/halocline/ is on one line "user" of the table;
/// - a file of src/exchange/transport/ includes no header of another transport (a folder, or a .cpp with its header);
///   headers without a .cpp are shared, and the factory, which makes them all, may include and be included;
/// - in include/, <mpi.h> is in mpi.hpp alone, and no other public header includes that one;
/// - headers of an "only" line of the table (CUDA, NVML, dlopen) are included by the files of that line alone;
/// - no #if on CUDA or on an option (HALOCLINE_...) in src/ and include/: an absent part is a source file
///   (include/halocline/view.hpp excepted, for what kernels may call, and whether the user asks for checks);
/// - cli/, apps/, bench/ and profile/ include installed headers, headers of stages, and files of their own;
/// - examples/, bindings/, python/src/ and tests/install/ include installed headers alone, as users do;
/// - a file begins with the SPDX line of the licence, and has at most 400 more.
/// Throws std::runtime_error if the table is missing or malformed.
Report check(const std::filesystem::path& root);

}  // namespace halocline::layering
