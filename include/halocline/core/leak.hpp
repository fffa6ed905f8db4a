#pragma once

#include <memory>

namespace halocline {

/// Keeps an object alive until the process ends, because somebody else may still use its memory: another rank
/// after a failed exchange, or one whose domain was not closed. Thread-safe; the caller logs why.
void leak(std::shared_ptr<void> object);

}  // namespace halocline
