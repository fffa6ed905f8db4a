// SPDX-License-Identifier: BSD-3-Clause
#include "measure/detail/lane.hpp"

namespace halocline::machine::measuring {

Lane::Lane(device::Backend& backend, int device)
    : backend_(backend),
      device_(device),
      stream_(backend.create_stream(device, device::Priority::normal, "halocline measure")) {}

void Lane::enqueue(Gate& gate, Gate::Scope scope, const Transfer& transfer, std::size_t bytes, int repeats, int row) {
  used_ = static_cast<std::size_t>(repeats) + 1;
  row_ = row;
  // Events first: making one may wait for the device, which waits for the gate.
  while (marks_.size() < used_) marks_.push_back(backend_.create_event(device_, device::Timing::on));
  gate.wait(*stream_, scope);
  stream_->record(*marks_[0]);
  for (std::size_t mark = 1; mark < used_; ++mark) {
    for (int i = 0; i < row; ++i) transfer(*stream_, bytes);
    stream_->record(*marks_[mark]);
  }
}

std::vector<double> Lane::seconds() const {
  std::vector<double> all;
  for (std::size_t mark = 1; mark < used_; ++mark) {
    const Duration taken = marks_[mark]->since(*marks_[mark - 1]);
    all.push_back(std::chrono::duration<double>(taken).count() / row_);
  }
  return all;
}

}  // namespace halocline::machine::measuring
