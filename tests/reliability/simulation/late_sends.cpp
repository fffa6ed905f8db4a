// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/late_sends.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "comm/requests.hpp"

namespace halocline::simulation {

/// The sends of a group that are under way, in their order. Shared with their requests.
class LateSends::Queue {
 public:
  struct Send {
    std::span<const std::byte> bytes;
    rank_id to;
    int tag;
    Time leaves;
    Time complete;
    std::vector<std::byte> sent;  ///< the bytes when they left
    bool left = false;
    bool done = false;
    std::exception_ptr failure;
  };
  Queue(comm::RankGroup& inner, const Choice& choice)
      : inner_(&inner), inner_rank_(inner.rank().value()), seeded_(choice.seed), choice_(choice) {}

  std::shared_ptr<Send> add(std::span<const std::byte> bytes, rank_id to, int tag) {
    const Time now = Simulator::instance().now();
    // Some leave at once, as small messages do.
    const auto some = [&] { return seeded_.chance(40) ? Time{} : Time(seeded_.between(0, choice_.longest.count())); };
    const Time leaves = now + some();
    sends_.push_back(std::make_shared<Send>(Send{bytes, to, tag, leaves, leaves + some(), {}, false, false, nullptr}));
    auto mine = sends_.back();
    advance();
    return mine;
  }
  void drop(const std::shared_ptr<Send>& send) {
    if (!send->done) unfinished(fmt::format("a send to rank {}, tag {}", send->to.value(), send->tag));
    std::erase(sends_, send);
  }
  void unfinished(const std::string& request) {
    if (choice_.unfinished->empty()) {
      *choice_.unfinished = fmt::format("rank {}: {} was destroyed before it was done", inner_rank_, request);
    }
  }

  void advance() {
    const Time now = Simulator::instance().now();
    for (std::size_t i = 0; i < sends_.size(); ++i) {
      Send& send = *sends_[i];
      if (!send.left && now >= send.leaves && is_next(i)) leave(send);
      if (send.left && now >= send.complete) complete(send);
    }
    std::erase_if(sends_, [](const auto& send) { return send->done; });
  }
  /// The group ends.
  void end() { sends_.clear(); }

 private:
  /// Sends of the same tag to the same rank leave in their order.
  [[nodiscard]] bool is_next(std::size_t i) const {
    return std::none_of(sends_.begin(), sends_.begin() + static_cast<std::ptrdiff_t>(i), [&](const auto& earlier) {
      return earlier->to == sends_[i]->to && earlier->tag == sends_[i]->tag && !earlier->left;
    });
  }
  void leave(Send& send) {
    send.left = true;
    Simulator::instance().note("message leaves, to rank", send.to.value());
    send.sent.assign(send.bytes.begin(), send.bytes.end());
    try {
      (void)inner_->send(send.sent, send.to, send.tag);
    } catch (const Error&) {
      send.failure = std::current_exception();
      send.done = true;
    }
  }
  void complete(Send& send) {
    send.done = true;
    Simulator::instance().note("message complete, to rank", send.to.value());
    const bool same = std::memcmp(send.bytes.data(), send.sent.data(), send.sent.size()) == 0;
    if (same || !choice_.wrong->empty()) return;
    *choice_.wrong = fmt::format("rank {}: a send to rank {}, tag {}, was not complete when its bytes changed",
                                 inner_rank_, send.to.value(), send.tag);
  }

  comm::RankGroup* inner_;
  std::int64_t inner_rank_;
  test::Seeded seeded_;
  Choice choice_;
  std::vector<std::shared_ptr<Send>> sends_;
};

class LateSends::Sent final : public comm::Request {
 public:
  Sent(std::shared_ptr<Queue> queue, std::span<const std::byte> bytes, rank_id to, int tag)
      : queue_(std::move(queue)), send_(queue_->add(bytes, to, tag)) {}
  ~Sent() override { queue_->drop(send_); }
  [[nodiscard]] bool test() override {
    queue_->advance();
    if (send_->failure) std::rethrow_exception(send_->failure);
    return send_->done;
  }

 private:
  std::shared_ptr<Queue> queue_;
  std::shared_ptr<Queue::Send> send_;
};

class LateSends::SentAgain final : public comm::PersistentRequest {
 public:
  SentAgain(std::shared_ptr<Queue> queue, std::span<const std::byte> bytes, rank_id to, int tag)
      : queue_(std::move(queue)), bytes_(bytes), to_(to), tag_(tag) {}
  void start() override {
    if (sent_) throw InternalError("start of a persistent request whose previous one is not done");
    sent_ = std::make_unique<Sent>(queue_, bytes_, to_, tag_);
  }
  [[nodiscard]] bool test() override {
    if (sent_ && !sent_->test()) return false;
    sent_.reset();
    return true;
  }

 private:
  std::shared_ptr<Queue> queue_;
  std::span<const std::byte> bytes_;
  rank_id to_;
  int tag_;
  std::unique_ptr<Sent> sent_;
};

/// A receive's buffer, from the beginning of the receive to its end.
class LateSends::Landing {
 public:
  Landing(std::shared_ptr<Queue> queue, std::span<std::byte> bytes, rank_id from, int tag)
      : queue_(std::move(queue)), bytes_(bytes), from_(from), tag_(tag) {}
  ~Landing() {
    if (under_way_) queue_->unfinished(fmt::format("a receive from rank {}, tag {}", from_.value(), tag_));
  }
  Landing(const Landing&) = delete;
  Landing& operator=(const Landing&) = delete;
  /// MPI may write to it at any time from now on.
  void begin() {
    under_way_ = true;
    std::ranges::fill(bytes_, std::byte{0xa5});
  }
  /// A test of a receive moves sends as well.
  bool test(auto& request) {
    queue_->advance();
    try {
      if (!request.test()) return false;
    } catch (...) {
      under_way_ = false;
      throw;
    }
    under_way_ = false;
    return true;
  }

 private:
  std::shared_ptr<Queue> queue_;
  std::span<std::byte> bytes_;
  rank_id from_;
  int tag_;
  bool under_way_ = false;
};

class LateSends::Received final : public comm::Request {
 public:
  Received(comm::RankGroup& inner, std::shared_ptr<Queue> queue, std::span<std::byte> bytes, rank_id from, int tag)
      : landing_(std::move(queue), bytes, from, tag) {
    landing_.begin();
    request_ = inner.receive(bytes, from, tag);
  }
  [[nodiscard]] bool test() override { return landing_.test(*request_); }

 private:
  Landing landing_;
  std::unique_ptr<comm::Request> request_;
};

class LateSends::ReceivedAgain final : public comm::PersistentRequest {
 public:
  ReceivedAgain(std::unique_ptr<comm::PersistentRequest> request, std::shared_ptr<Queue> queue,
                std::span<std::byte> bytes, rank_id from, int tag)
      : landing_(std::move(queue), bytes, from, tag), request_(std::move(request)) {}
  void start() override {
    landing_.begin();
    request_->start();
  }
  [[nodiscard]] bool test() override { return landing_.test(*request_); }

 private:
  Landing landing_;
  std::unique_ptr<comm::PersistentRequest> request_;
};

LateSends::LateSends(comm::RankGroup& group, const Choice& choice)
    : ForwardingCommunicator(group), choice_(choice), seeded_(choice.seed) {
  support = group.device_support();
  set_timeout(group.timeout());
  Choice mine = choice;
  mine.seed = seeded_.next();
  queue_ = std::make_shared<Queue>(group, mine);
}

LateSends::~LateSends() { queue_->end(); }

std::unique_ptr<comm::Request> LateSends::send(std::span<const std::byte> bytes, rank_id to, int tag) {
  if (poisoned()) return inner().send(bytes, to, tag);  // throws
  return std::make_unique<Sent>(queue_, bytes, to, tag);
}

std::unique_ptr<comm::PersistentRequest> LateSends::persistent_send(std::span<const std::byte> bytes, rank_id to,
                                                                    int tag) {
  return std::make_unique<SentAgain>(queue_, bytes, to, tag);
}

std::unique_ptr<comm::Request> LateSends::receive(std::span<std::byte> bytes, rank_id from, int tag) {
  return std::make_unique<Received>(inner(), queue_, bytes, from, tag);
}

std::unique_ptr<comm::PersistentRequest> LateSends::persistent_receive(std::span<std::byte> bytes, rank_id from,
                                                                       int tag) {
  return std::make_unique<ReceivedAgain>(inner().persistent_receive(bytes, from, tag), queue_, bytes, from, tag);
}

std::unique_ptr<comm::PersistentRequest> LateSends::persistent_receive_at_most(std::span<std::byte> bytes, rank_id from,
                                                                               int tag) {
  return std::make_unique<ReceivedAgain>(inner().persistent_receive_at_most(bytes, from, tag), queue_, bytes, from,
                                         tag);
}

std::unique_ptr<comm::RankGroup> LateSends::split(int colour, int key) {
  auto group = inner().split(colour, key);
  Choice its = choice_;
  its.seed = seeded_.next();
  auto late = std::make_unique<LateSends>(*group, its);
  late->made_ = std::move(group);
  return late;
}

Verdict LateSends::concurrent() const { return Verdict::of(choice_.concurrent, "threads take turns"); }

void LateSends::make_progress() {
  queue_->advance();
  inner().make_progress();
}

}  // namespace halocline::simulation
