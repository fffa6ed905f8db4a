// SPDX-License-Identifier: BSD-3-Clause
// Recordings, and what `halocline postmortem` makes of one.
#include "io/recording_file.hpp"

#include "postmortem/diagnosis.hpp"
#include "postmortem/report.hpp"
#include "target.hpp"

namespace halocline::fuzz {
namespace {

void check(std::string_view text) {
  const Recording recording = io::recording_from(text, "FILE");
  require(io::recording_from(io::text_of(recording), "AGAIN") == recording, "a recording is equal after it was read");
  const cli::postmortem::Diagnosis diagnosis = cli::postmortem::diagnose({recording});
  require(!cli::postmortem::report_text(diagnosis).empty(), "a diagnosis has a text");
  require(!cli::postmortem::report_json(diagnosis).members().empty(), "a diagnosis has a document");
}

}  // namespace

std::vector<std::string> own_seeds() {
  Recording recording{.rank = 1, .ranks = 3, .pid = 4711, .host = "node"};
  recording.error = "exchange 4 is late";
  recording.kind = ErrorKind::deadline;
  recording.exchanges = {
      {.name = "exchange",
       .started = 4,
       .finished = 3,
       .epoch = 4,
       .messages = {{.from = 1, .to = 2, .peer = 2, .sends = true, .transport = "direct", .reached = 4},
                    {.from = 0, .to = 1, .peer = 0, .transport = "mpi_staged", .by_host = true, .reached = 3}}}};
  recording.events = {{Duration(5), EventKind::started, 0, 4, -1, -1}, {Duration(9), EventKind::waiting, 0, 4, 1, 2}};
  return {io::text_of(recording), io::text_of(Recording{})};
}

}  // namespace halocline::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return halocline::fuzz::run_target(data, size, [](std::string_view text) { halocline::fuzz::check(text); });
}
