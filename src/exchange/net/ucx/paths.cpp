// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "exchange/ucx_paths.hpp"

namespace halocline::exchange {
namespace {

/// Of lines such as "lane[0]:  3:sysv/memory.0 md[2] -> ...".
std::string paths_of(std::string_view info) {
  constexpr std::string_view lane = "lane[";
  std::string found;
  for (std::size_t at = info.find(lane); at != std::string_view::npos; at = info.find(lane, at + 1)) {
    std::string_view line = info.substr(at, info.find('\n', at) - at);
    line.remove_prefix(std::min(line.size(), line.find(':') + 1));
    line.remove_prefix(std::min(line.size(), line.find(':') + 1));
    const std::string_view path = line.substr(0, line.find_first_of(". "));
    if (!path.empty()) found.append(found.empty() ? "" : ", ").append(path);
  }
  return found;
}

}  // namespace

std::string ucx_paths(const std::function<void(std::FILE*)>& print) {
  char* text = nullptr;
  std::size_t bytes = 0;
  std::FILE* const file = ::open_memstream(&text, &bytes);
  if (file == nullptr) return "unknown";
  print(file);
  (void)std::fclose(file);
  std::string found = paths_of({text, bytes});
  std::free(text);
  return found;
}

}  // namespace halocline::exchange
