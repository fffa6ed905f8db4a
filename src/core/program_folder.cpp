// SPDX-License-Identifier: BSD-3-Clause
#include "core/program_folder.hpp"

#include <sys/auxv.h>

#include <system_error>

namespace halocline {

std::filesystem::path program_folder(const char* link) {
  std::error_code absent;
  const auto program = std::filesystem::read_symlink(link, absent);
  if (!absent) return program.parent_path();
  // Without /proc: the name by which the program was started.
  const auto* name = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  return name == nullptr ? std::filesystem::path() : std::filesystem::absolute(name, absent).parent_path();
}

}  // namespace halocline
