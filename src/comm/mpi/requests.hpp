// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "comm/mpi/state.hpp"
#include "comm/rank_group.hpp"
#include "comm/requests.hpp"

namespace halocline::comm::mpi {

/// One message: its MPI request, and the peer, tag and length that are expected. Base of both kinds of request.
class Transfer {
 public:
  enum class Way : int { send, receive };
  Transfer(std::shared_ptr<State> state, Way way, std::byte* data, std::size_t bytes, int peer, int tag,
           Length length = Length::exact);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  /// MPI_Isend or MPI_Irecv, MPI_Send_init or MPI_Recv_init.
  void begin();
  void prepare();
  void require_usable() const;
  /// To be called before and after MPI starts it.
  void starting() { state->pending.make_room(); }
  void started() noexcept { state->pending.add(*this); }
  /// Tests it with all others of the communicator; checks the length of a received message.
  [[nodiscard]] bool progress();
  /// For destructors: cancels a receive that is under way, frees the request, does not block.
  void give_up(bool under_way) noexcept;

  MPI_Request request = MPI_REQUEST_NULL;
  std::shared_ptr<State> state;

  /// What MPI returned for a request that is done.
  struct Outcome {
    int code = MPI_SUCCESS;
    MPI_Status status{};
  };
  std::optional<Outcome> outcome;  ///< set by Pending
  std::uint64_t answered = 0;      ///< Pending's

 private:
  [[nodiscard]] const char* verb() const { return way_ == Way::send ? "send to" : "receive from"; }
  [[noreturn]] void fail_with_length(const MPI_Status& status, bool too_long) const;

  Way way_;
  std::byte* data_;
  std::size_t bytes_;
  int peer_;
  int tag_;
  Length length_;
  Layout layout_;
};

class MpiRequest final : public Request {
 public:
  MpiRequest(std::shared_ptr<State> state, Transfer::Way way, std::byte* data, std::size_t bytes, int peer, int tag);
  ~MpiRequest() override;
  [[nodiscard]] bool test() override;

 private:
  Transfer transfer_;
  bool done_ = false;
};

class MpiPersistentRequest final : public PersistentRequest {
 public:
  MpiPersistentRequest(std::shared_ptr<State> state, Transfer::Way way, std::byte* data, std::size_t bytes, int peer,
                       int tag, Length length = Length::exact);
  ~MpiPersistentRequest() override;
  void start() override;
  [[nodiscard]] bool test() override;

 private:
  Transfer transfer_;
  bool under_way_ = false;
};

}  // namespace halocline::comm::mpi
