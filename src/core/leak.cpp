#include "halocline/core/leak.hpp"

#include <mutex>
#include <vector>

namespace halocline {

void leak(std::shared_ptr<void> object) {
  // Never destroyed, so that nothing is freed while static objects are; reachable, so that leak checkers know it is
  // meant.
  static auto* const mutex = new std::mutex;
  static auto* const objects = new std::vector<std::shared_ptr<void>>;
  const std::lock_guard lock(*mutex);
  objects->push_back(std::move(object));
}

}  // namespace halocline
