// SPDX-License-Identifier: BSD-3-Clause
// What `halocline plot` reads besides machine maps: CSV files of studies, and traces.
#include "pictures/study_picture.hpp"
#include "pictures/trace_picture.hpp"
#include "target.hpp"

namespace halocline::fuzz {
namespace {

constexpr std::string_view trace = R"({"traceEvents": [
  {"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "rank 0"}},
  {"ph": "M", "name": "thread_name", "pid": 0, "tid": 0, "args": {"name": "device 0"}},
  {"ph": "M", "name": "thread_name", "pid": 0, "tid": 1, "args": {"name": "host"}},
  {"ph": "X", "name": "exchange", "cat": "exchange", "pid": 0, "tid": 0, "ts": 10.5, "dur": 20, "args": {"step": 1}},
  {"ph": "X", "name": "pack", "cat": "pack", "pid": 0, "tid": 0, "ts": 11, "dur": 5,
   "args": {"step": 1, "from": 0, "to": 1, "part": 0, "direction": "+x"}},
  {"ph": "X", "name": "unpack", "cat": "unpack", "pid": 0, "tid": 1, "ts": 17, "dur": 5,
   "args": {"step": 1, "from": 0, "to": 1, "part": 0, "direction": "+x"}}]})";

}  // namespace

std::vector<std::string> own_seeds() { return {std::string(trace)}; }

}  // namespace halocline::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace halocline;
  return fuzz::run_target(data, size, [](std::string_view text) {
    const cli::Json document = halocline::io::parse_document_or_null(text);
    const std::string svg = document.contains("traceEvents")
                                ? cli::timeline_svg(document, std::nullopt, "FILE")
                                : cli::svg_of(cli::charts_of(cli::read_csv(text, "FILE")));
    // As values of attributes; names of the input are text between elements.
    for (const char* number : {"=\"nan", "=\"-nan", "=\"inf", "=\"-inf"})
      fuzz::require(svg.find(number) == std::string::npos, "a picture has finite numbers");
  });
}
