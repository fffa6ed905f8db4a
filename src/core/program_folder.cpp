#include "halocline/core/program_folder.hpp"

#include <system_error>

namespace halocline {

std::filesystem::path program_folder() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
}

}  // namespace halocline
