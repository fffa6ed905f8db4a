// SPDX-License-Identifier: BSD-3-Clause
#include "comm/mpi/requests.hpp"

#include <fmt/core.h>

#include <utility>

#include "comm/mpi/check.hpp"
#include "comm/mpi/finalisation.hpp"
#include "comm/requests.hpp"
#include "core/log.hpp"

namespace halocline::comm::mpi {

Transfer::Transfer(std::shared_ptr<State> s, Way way, std::byte* data, std::size_t bytes, int peer, int tag,
                   Length length)
    : state(std::move(s)),
      way_(way),
      data_(data),
      bytes_(bytes),
      peer_(peer),
      tag_(tag),
      length_(length),
      layout_(bytes, state->largest_count) {}

void Transfer::begin() {
  if (way_ == Way::send) {
    check(MPI_Isend(data_, layout_.count(), layout_.type(), peer_, tag_, state->comm, &request), "MPI_Isend");
  } else {
    check(MPI_Irecv(data_, layout_.count(), layout_.type(), peer_, tag_, state->comm, &request), "MPI_Irecv");
  }
}

void Transfer::prepare() {
  if (way_ == Way::send) {
    check(MPI_Send_init(data_, layout_.count(), layout_.type(), peer_, tag_, state->comm, &request), "MPI_Send_init");
  } else {
    check(MPI_Recv_init(data_, layout_.count(), layout_.type(), peer_, tag_, state->comm, &request), "MPI_Recv_init");
  }
}

void Transfer::fail_with_length(const MPI_Status& status, bool too_long) const {
  MPI_Count came = 0;
  // Some MPIs return the number of bytes sent, others the size of the receive buffer.
  const bool known = MPI_Get_elements_x(&status, MPI_BYTE, &came) == MPI_SUCCESS && came >= 0 &&
                     (!too_long || came > static_cast<MPI_Count>(bytes_));
  throw CommunicationError(fmt::format("rank {}: {} rank {}, tag {}: the message has {} bytes; expected were {}",
                                       state->rank, verb(), peer_, tag_,
                                       known ? std::to_string(came) : fmt::format("more than {}", bytes_), bytes_));
}

void Transfer::require_usable() const {
  if (!state->usable()) throw_unusable(*state, fmt::format("{} rank {}, tag {}", verb(), peer_, tag_));
}

bool Transfer::progress() {
  require_usable();
  if (!state->pending.test(*this)) return false;
  const auto [code, status] = *std::exchange(outcome, std::nullopt);
  if (code != MPI_SUCCESS) {
    int error_class = code;
    MPI_Error_class(code, &error_class);
    if (error_class == MPI_ERR_TRUNCATE && way_ == Way::receive) fail_with_length(status, true);
    check(code, fmt::format("rank {}: {} rank {}, tag {}: MPI_Testsome", state->rank, verb(), peer_, tag_).c_str());
  }
  if (way_ == Way::receive) {
    MPI_Count came = 0;
    check(MPI_Get_elements_x(&status, MPI_BYTE, &came), "MPI_Get_elements_x");
    const auto expected = static_cast<MPI_Count>(bytes_);
    if (came != expected && (length_ == Length::exact || came > expected)) fail_with_length(status, false);
  }
  return true;
}

void Transfer::give_up(bool under_way) noexcept {
  state->pending.remove(*this);
  if (request == MPI_REQUEST_NULL || finalising()) return;
  if (under_way && !outcome) {
    int done = 0;
    if (way_ == Way::receive) MPI_Cancel(&request);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!state->poisoned()) {
      log(LogLevel::warning,
          way_ == Way::send ? "a send was destroyed before it was done; its bytes must stay where they are"
          : done != 0       ? "a receive was destroyed before it was done; it is cancelled"
                            : "a receive was destroyed while its message arrives; its bytes must stay where they are");
    }
  }
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

MpiRequest::MpiRequest(std::shared_ptr<State> state, Transfer::Way way, std::byte* data, std::size_t bytes, int peer,
                       int tag)
    : transfer_(std::move(state), way, data, bytes, peer, tag) {
  transfer_.starting();
  transfer_.begin();
  transfer_.started();
}

MpiRequest::~MpiRequest() { transfer_.give_up(!done_); }

bool MpiRequest::test() {
  if (done_) return true;
  if (transfer_.request == MPI_REQUEST_NULL && !transfer_.outcome)
    throw CommunicationError("test of a request that has failed before");
  done_ = transfer_.progress();
  return done_;
}

MpiPersistentRequest::MpiPersistentRequest(std::shared_ptr<State> state, Transfer::Way way, std::byte* data,
                                           std::size_t bytes, int peer, int tag, Length length)
    : transfer_(std::move(state), way, data, bytes, peer, tag, length) {
  transfer_.prepare();
}

MpiPersistentRequest::~MpiPersistentRequest() { transfer_.give_up(under_way_); }

void MpiPersistentRequest::start() {
  if (under_way_) throw InternalError("start of a persistent request whose previous one is not done");
  transfer_.require_usable();
  // Some MPIs free a persistent request that failed.
  if (transfer_.request == MPI_REQUEST_NULL) transfer_.prepare();
  transfer_.starting();
  check(MPI_Start(&transfer_.request), "MPI_Start");
  transfer_.started();
  under_way_ = true;
}

bool MpiPersistentRequest::test() {
  if (!under_way_) return true;
  try {
    under_way_ = !transfer_.progress();
  } catch (...) {
    if (!transfer_.state->poisoned()) under_way_ = false;
    throw;
  }
  return !under_way_;
}

}  // namespace halocline::comm::mpi
