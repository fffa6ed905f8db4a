#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace halocline::layering {

/// One rule that one line breaks. line is 0 where the whole file is meant.
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

/// Reads src/LAYERS and every source file of a tree, and compares. The rules, beside the table's:
/// - a stage's private headers (src/<stage>/) are included by that stage only, and by no public header;
/// - a file of src/exchange/transport/ includes no header of another transport (a folder, or a .cpp with its header);
///   headers without a .cpp are shared, and the factory, which makes them all, may include and be included;
/// - in include/, <mpi.h> is in comm/mpi.hpp alone, and no other public header includes that one;
/// - headers of an "only" line of the table (CUDA, NVML, dlopen) are included by the files of that line alone;
/// - no #if on CUDA or on an option (HALOCLINE_...) in src/ and include/: an absent part is a source file
///   (include/halocline/core/host_device.hpp excepted, which says what kernels may call);
/// - cli/, apps/, bench/ and examples/ include public headers and files of their own;
/// - a file has at most 400 lines.
/// Throws std::runtime_error where the table is missing or makes no sense.
Report check(const std::filesystem::path& root);

}  // namespace halocline::layering
