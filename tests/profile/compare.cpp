// SPDX-License-Identifier: BSD-3-Clause
// compare_profiles TIMES HEADER FEWER MORE ONE [gpu]: the counts of MORE minus FEWER must be TIMES the counts of ONE,
// plus HEADER bytes a message; for GPU memory only if the last word is given.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <set>
#include <string>

#include "mapping/communication_matrix.hpp"

namespace {

using halocline::mapping::Communication;
using halocline::mapping::CommunicationMatrix;
using halocline::mapping::Flow;

Communication read(const char* name) {
  std::ifstream in(name);
  return halocline::mapping::read_communication(in, name);
}

Flow flow(const CommunicationMatrix& matrix, int from, int to) {
  for (const Flow& one : matrix.row(from)) {
    if (one.to == to) return one;
  }
  return {to, 0, 0};
}

int differences(const char* what, const CommunicationMatrix& fewer, const CommunicationMatrix& more,
                const CommunicationMatrix& one, std::int64_t times, std::int64_t header) {
  int wrong = 0;
  for (int from = 0; from < one.ranks(); ++from) {
    for (int to = 0; to < one.ranks(); ++to) {
      const Flow a = flow(fewer, from, to);
      const Flow b = flow(more, from, to);
      const Flow c = flow(one, from, to);
      const std::int64_t bytes = times * (c.bytes + header * c.messages);
      if (b.bytes - a.bytes == bytes && b.messages - a.messages == times * c.messages) continue;
      ++wrong;
      std::printf("%s %d -> %d: %lld bytes, %lld messages; expected %lld, %lld\n", what, from, to,
                  static_cast<long long>(b.bytes - a.bytes), static_cast<long long>(b.messages - a.messages),
                  static_cast<long long>(bytes), static_cast<long long>(times * c.messages));
    }
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const bool only_gpu = argc == 7 && std::string(argv[6]) == "gpu";
    if (argc != 6 && !only_gpu) return 2;
    const std::int64_t times = std::atoll(argv[1]);
    const std::int64_t header = std::atoll(argv[2]);
    const Communication fewer = read(argv[3]);
    const Communication more = read(argv[4]);
    const Communication one = read(argv[5]);
    // There would be nothing to compare.
    if (one.gpu.total_bytes() + (only_gpu ? 0 : one.cpu.total_bytes()) == 0) return 2;
    const int wrong = (only_gpu ? 0 : differences("cpu", fewer.cpu, more.cpu, one.cpu, times, header)) +
                      differences("gpu", fewer.gpu, more.gpu, one.gpu, times, header);
    return wrong == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 2;
  }
}
