// SPDX-License-Identifier: BSD-3-Clause
// Communication matrices and profiles, as CSV: what is accepted is equal after it was written and read again.
#include <sstream>

#include "mapping/communication_matrix.hpp"
#include "target.hpp"

namespace halocline::fuzz {
namespace {

using namespace halocline::mapping;

void check_matrix(std::string_view text) {
  std::istringstream in{std::string(text)};
  const CommunicationMatrix matrix = read_matrix(in, "FILE");
  std::ostringstream out;
  write_matrix(out, matrix);
  std::istringstream again(out.str());
  require(read_matrix(again, "AGAIN") == matrix, "a matrix is equal after it was written and read");
}

void check_profile(std::string_view text) {
  std::istringstream in{std::string(text)};
  const Communication communication = read_communication(in, "FILE");
  std::ostringstream out;
  write_communication(out, communication);
  std::istringstream again(out.str());
  require(read_communication(again, "AGAIN") == communication, "a profile is equal after it was written and read");
}

}  // namespace

/// As texts, because what a faulty writer wrote would hide the fault. Of 6 ranks the last two send nothing.
std::vector<std::string> own_seeds() {
  return {
      "# ranks "
      "6\nfrom,to,cpu_bytes,cpu_messages,gpu_bytes,gpu_messages\n0,1,4096,2,0,0\n1,3,0,0,1099511627776,1\n3,3,0,0,7,"
      "1\n# end\n",
      "# ranks 6\nfrom,to,bytes,messages\n1,3,1099511627776,1\n3,3,7,1\n# end\n", "from,to,bytes\n0,1,5\n2,0,7\n",
      "0, 1, 2\n3, 0, 4\n5, 6, 0\n"};
}

}  // namespace halocline::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace halocline;
  return fuzz::run_target(data, size, [](std::string_view text) {
    // A text is a profile or a matrix: the header of a profile tells.
    text.find("from,to,cpu_bytes") == std::string_view::npos ? fuzz::check_matrix(text) : fuzz::check_profile(text);
  });
}
