// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/communicator.hpp"

#include <utility>

#include "comm/agree.hpp"
#include "comm/phase.hpp"
#include "comm/rank_group.hpp"
#include "core/timeout.hpp"
#include "halocline/error.hpp"

namespace halocline::comm {

std::string_view to_string(CommBackend backend) {
  switch (backend) {
    case CommBackend::serial: return "serial";
    case CommBackend::threads: return "threads";
    case CommBackend::mpi: return "mpi";
    case CommBackend::store: return "store";
  }
  return "unknown";
}

Communicator::Communicator(std::unique_ptr<RankGroup> group) : owned_(std::move(group)), group_(owned_.get()) {
  if (!owned_) throw InvalidArgument("the communicator of a domain is null");
}
Communicator::Communicator(RankGroup& group) : group_(&group) {}
Communicator::Communicator(const Communicator& other) : group_(other.group_) {}
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator other) noexcept {
  owned_ = std::move(other.owned_);
  group_ = other.group_;
  return *this;
}
Communicator::~Communicator() = default;

std::unique_ptr<RankGroup> Communicator::release() { return std::move(owned_); }

CommBackend Communicator::backend() const { return group_->backend(); }
rank_id Communicator::rank() const { return group_->rank(); }
int Communicator::size() const { return group_->size(); }
Duration Communicator::timeout() const { return group_->timeout(); }
void Communicator::set_timeout(Duration timeout) { group_->set_timeout(checked_timeout(timeout)); }

void Communicator::begin(std::string_view call) {
  const Phase phase(call);
  agree(*group_, nullptr);
}
void Communicator::barrier() { group_->barrier(); }
std::vector<std::vector<std::byte>> Communicator::all_gather(std::span<const std::byte> bytes) {
  return group_->all_gather(bytes);
}
void Communicator::all_reduce(std::span<double> values, Reduction reduction) { group_->all_reduce(values, reduction); }
void Communicator::all_reduce(std::span<std::int64_t> values, Reduction reduction) {
  group_->all_reduce(values, reduction);
}
double Communicator::all_reduce(double value, Reduction reduction) { return group_->all_reduce(value, reduction); }
std::int64_t Communicator::all_reduce(std::int64_t value, Reduction reduction) {
  return group_->all_reduce(value, reduction);
}
void Communicator::close() { group_->close(); }

}  // namespace halocline::comm
