// SPDX-License-Identifier: BSD-3-Clause
#include "comm/local/local_requests.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "comm/requests.hpp"
#include "core/log.hpp"

namespace halocline::comm::local {

namespace {

void require_usable(const Life& life, const char* operation) {
  if (life.poisoned) {
    throw CommunicationError(fmt::format("{}: this group of ranks is unusable after an earlier error", operation));
  }
}

/// A send is copied when it is made, into the buffer of a waiting receive, or else into the receiver's mailbox, and is
/// done at once.
class LocalSend final : public Request {
 public:
  LocalSend(const Member& from, std::span<const std::byte> bytes, int to, int tag) {
    require_usable(*from.life, "send");
    from.group->mailbox(to).deliver(from.rank, tag, "send", bytes);
  }
  [[nodiscard]] bool test() override { return true; }
};

/// The bytes are written by the sender's thread if the receive was posted before the send, else by the receiver's, in
/// test().
class LocalReceive final : public Request {
 public:
  LocalReceive(const Member& to, std::span<std::byte> bytes, int from, int tag, Length length)
      : me_(to), bytes_(bytes), from_(from), tag_(tag), length_(length) {
    require_usable(*to.life, "receive");
    slot_ = me_.group->mailbox(me_.rank).post(from, tag, bytes);
  }
  LocalReceive(const LocalReceive&) = delete;
  LocalReceive& operator=(const LocalReceive&) = delete;
  ~LocalReceive() override {
    if (done_ || !failure_.empty()) return;
    me_.group->mailbox(me_.rank).withdraw(slot_);
    if (!me_.life->poisoned) log(LogLevel::warning, "a receive was destroyed before it was done; it is cancelled");
  }

  [[nodiscard]] bool test() override {
    if (done_) return true;
    if (!failure_.empty()) throw CommunicationError(failure_);
    require_usable(*me_.life, "receive");
    // Read before the mailbox: messages that a rank sent before it ended are still received.
    const auto ended = me_.group->ended(from_);
    Message message;
    if (!me_.group->mailbox(me_.rank).take(*slot_, message)) {
      if (!ended) return false;
      throw PeerEnded(fmt::format("{}: that rank has ended {}", name(), *ended));
    }
    if (message.in_place) {
      done_ = true;
      return true;
    }
    const std::size_t came = message.bytes.size();
    if (came != bytes_.size() && (length_ == Length::exact || came > bytes_.size())) {
      failure_ = fmt::format("{}: the message has {} bytes; expected were {}", name(), came, bytes_.size());
      throw CommunicationError(failure_);
    }
    std::copy(message.bytes.begin(), message.bytes.end(), bytes_.begin());
    done_ = true;
    return true;
  }

 private:
  [[nodiscard]] std::string name() const {
    const int first = me_.group->first_rank;
    return fmt::format("rank {}: receive from rank {}, tag {}", first + me_.rank, first + from_, tag_);
  }

  Member me_;
  std::span<std::byte> bytes_;
  int from_;
  int tag_;
  Length length_;
  std::shared_ptr<Mailbox::Slot> slot_;
  bool done_ = false;
  std::string failure_;  ///< not empty if the message that arrived could not be accepted
};

/// A persistent request in terms of ordinary ones.
class RestartedRequest final : public PersistentRequest {
 public:
  using Make = std::function<std::unique_ptr<Request>()>;
  explicit RestartedRequest(Make make) : make_(std::move(make)) {}

  void start() override {
    if (request_) throw InternalError("start of a persistent request whose previous one is not done");
    request_ = make_();
  }

  [[nodiscard]] bool test() override {
    if (!request_) return true;
    try {
      if (!request_->test()) return false;
    } catch (...) {
      request_.reset();  // a failed request is over, too: it may be started again
      throw;
    }
    request_.reset();
    return true;
  }

 private:
  Make make_;
  std::unique_ptr<Request> request_;  ///< nullptr if none is under way
};

}  // namespace

std::unique_ptr<Request> make_send(const Member& from, std::span<const std::byte> bytes, int to, int tag) {
  return std::make_unique<LocalSend>(from, bytes, to, tag);
}

std::unique_ptr<Request> make_receive(const Member& to, std::span<std::byte> bytes, int from, int tag, Length length) {
  return std::make_unique<LocalReceive>(to, bytes, from, tag, length);
}

std::unique_ptr<PersistentRequest> make_persistent_send(const Member& from, std::span<const std::byte> bytes, int to,
                                                        int tag) {
  return std::make_unique<RestartedRequest>([=] { return make_send(from, bytes, to, tag); });
}

std::unique_ptr<PersistentRequest> make_persistent_receive(const Member& to, std::span<std::byte> bytes, int from,
                                                           int tag, Length length) {
  return std::make_unique<RestartedRequest>([=] { return make_receive(to, bytes, from, tag, length); });
}

}  // namespace halocline::comm::local
