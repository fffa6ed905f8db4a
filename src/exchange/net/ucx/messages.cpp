// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <thread>
#include <utility>

#include "comm/agree.hpp"
#include "core/leak.hpp"
#include "core/log.hpp"
#include "exchange/net/ucx/ucx.hpp"
#include "exchange/net/ucx/worker.hpp"
#include "halocline/error.hpp"

namespace halocline::exchange::net {
namespace {

using ucx::Operation;
using ucx::Worker;

class UcxSend final : public comm::Request {
 public:
  UcxSend(Operation operation, std::string what) : operation_(std::move(operation)), what_(std::move(what)) {}
  [[nodiscard]] bool test() override { return operation_.done(what_); }

 private:
  Operation operation_;
  std::string what_;
};

class UcxReceive final : public comm::PersistentRequest {
 public:
  UcxReceive(Worker& worker, std::span<std::byte> bytes, ucp_tag_t tag, std::string what)
      : worker_(&worker), bytes_(bytes), tag_(tag), what_(std::move(what)) {}
  UcxReceive(const UcxReceive&) = delete;
  UcxReceive& operator=(const UcxReceive&) = delete;
  ~UcxReceive() override { worker_->cancel(operation_); }

  void start() override {
    if (operation_.under_way()) throw InternalError(what_ + " is started while it is under way");
    operation_ = worker_->receive(bytes_, tag_);
  }
  [[nodiscard]] bool test() override { return operation_.done(what_); }

 private:
  Worker* worker_;
  std::span<std::byte> bytes_;
  ucp_tag_t tag_;
  std::string what_;
  Operation operation_;
};

class UcxMessages final : public Messages {
 public:
  explicit UcxMessages(std::unique_ptr<comm::RankGroup> group) : group_(std::move(group)) {
    std::vector<std::byte> mine;
    comm::agree_on(*group_, [&] {
      worker_ = std::make_unique<Worker>();
      mine = worker_->address();
    });
    worker_->set_addresses(group_->all_gather(mine));
  }
  UcxMessages(const UcxMessages&) = delete;
  UcxMessages& operator=(const UcxMessages&) = delete;
  ~UcxMessages() override {
    // Without close() others may still read from, or write to, memory of this worker.
    leak(std::move(worker_));
  }

  [[nodiscard]] std::string_view name() const override { return "UCX"; }
  [[nodiscard]] std::unique_ptr<comm::Request> send(std::span<const std::byte> bytes, rank_id to, int tag) override {
    return std::make_unique<UcxSend>(worker_->send(bytes, to, tag_of(group_->rank(), tag)),
                                     fmt::format("send of {} bytes to rank {}", bytes.size(), to.value()));
  }
  [[nodiscard]] std::unique_ptr<comm::PersistentRequest> receive_at_most(std::span<std::byte> bytes, rank_id from,
                                                                         int tag) override {
    worker_->connect(from);  // a port goes both ways
    return std::make_unique<UcxReceive>(*worker_, bytes, tag_of(from, tag),
                                        fmt::format("receive from rank {}", from.value()));
  }
  [[nodiscard]] std::unique_ptr<comm::ConcurrentCaller> caller() override { return group_->concurrent_caller(); }
  void progress() override { worker_->progress(); }

  void close(const Deadline& deadline) override {
    for (const rank_id peer : worker_->peers()) {
      log(LogLevel::info, fmt::format("net: rank {} has sent {} bytes to rank {} by UCX ({})", group_->rank().value(),
                                      worker_->sent_bytes(peer), peer.value(), worker_->paths(peer)));
    }
    worker_->close_endpoints(deadline);
    wait_for_others(deadline);
    worker_.reset();
    group_->close();
  }

 private:
  /// Tags of UCX are one space for all senders.
  static ucp_tag_t tag_of(rank_id sender, int tag) {
    return ucp_tag_t{sender.index()} << 16U | static_cast<ucp_tag_t>(tag);
  }

  /// Makes progress until all ranks have closed their endpoints, too: their last messages may need this worker. A dissemination barrier
  /// (Hensgen, Finkel and Manber, 1988): all ranks take part, as a rank that could not connect to another may be connected by that one.
  void wait_for_others(const Deadline& deadline) {
    const int size = group_->size();
    const auto me = static_cast<int>(group_->rank().value());
    for (int distance = 1, round = 0; distance < size; distance *= 2, ++round) {
      const auto receive = group_->receive({}, rank_id((me + size - distance) % size), round);
      const auto send = group_->send({}, rank_id((me + distance) % size), round);
      for (bool received = false, sent = false; !received || !sent;) {
        worker_->progress();
        received = received || receive->test();
        sent = sent || send->test();
        if ((!received || !sent) && deadline.expired())
          throw DeadlineError("other ranks have not closed their endpoints of UCX before the deadline of close()");
        std::this_thread::yield();
      }
    }
  }

  std::unique_ptr<comm::RankGroup> group_;
  std::unique_ptr<Worker> worker_;
};

}  // namespace

std::unique_ptr<Messages> make_ucx_messages(std::unique_ptr<comm::RankGroup> group) {
  return std::make_unique<UcxMessages>(std::move(group));
}

}  // namespace halocline::exchange::net

namespace halocline::exchange {
const Verdict& ucx_usable() { return net::ucx::Library::instance().usable; }
}  // namespace halocline::exchange
