// Steps that are recorded and replayed: the first subdomain's stream carries them, the others branch off it and join it.
#include <fmt/core.h>

#include "domain/domain_impl.hpp"

namespace halocline {

/// The first stream waits for what is in the others.
void Domain::Impl::gather_streams() {
  for (std::size_t i = 1; i < streams.size(); ++i) {
    streams[i]->record(*marks[i]);
    streams.front()->wait(*marks[i]);
  }
}

/// The others wait for what is in the first.
void Domain::Impl::spread_streams() {
  streams.front()->record(*marks.front());
  for (std::size_t i = 1; i < streams.size(); ++i) streams[i]->wait(*marks.front());
}

Recording Domain::capture(const std::function<void()>& steps) {
  impl_->check_realized("capture()");
  const std::vector<int> before = impl_->current;
  const auto stored_before = impl_->stored;
  const auto exchanged_before = impl_->exchanged;
  const auto take_back = [&] {
    impl_->stored = stored_before;
    impl_->exchanged = exchanged_before;
  };
  device::Stream& first = *impl_->streams.front();
  first.begin_capture();
  try {
    impl_->spread_streams();
    steps();
    impl_->gather_streams();
  } catch (...) {
    impl_->current = before;
    take_back();
    try {
      static_cast<void>(first.end_capture());
    } catch (const Error&) {
      // Streams that did not join: what was thrown first says why.
    }
    throw;
  }
  Recording recording(first.end_capture(), stored_before);
  const std::vector<int> after = std::exchange(impl_->current, before);
  const auto stored_after = impl_->stored;
  take_back();
  for (std::size_t f = 0; f < before.size(); ++f) {
    if (after[f] == before[f]) continue;
    throw InvalidArgument(
        fmt::format("captured steps swap field '{}' from set {} to set {}; allowed are whole cycles of its {} sets",
                    impl_->fields[f].name, before[f], after[f], impl_->fields[f].buffers));
  }
  for (std::size_t f = 0; f < before.size(); ++f) {
    if (stored_after[f] == stored_before[f]) continue;
    throw InvalidArgument(fmt::format(
        "captured steps leave other cells of field '{}' stored by kernels (mark_stored) than they begin with; "
        "allowed are whole cycles, behind a step that stores as the captured ones do",
        impl_->fields[f].name));
  }
  return recording;
}

void Domain::replay(const Recording& recording) {
  impl_->check_realized("replay()");
  for (std::size_t f = 0; f < impl_->stored.size(); ++f) {
    if (impl_->stored[f] == recording.stored_[f]) continue;
    throw InvalidArgument(
        fmt::format("replay: other cells of field '{}' are stored by kernels (mark_stored) than when the steps were "
                    "captured; allowed are the same",
                    impl_->fields[f].name));
  }
  impl_->gather_streams();
  impl_->streams.front()->launch(*recording.graph_);
  impl_->spread_streams();
}

}  // namespace halocline
