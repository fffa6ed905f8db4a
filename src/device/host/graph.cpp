// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/graph.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/leak.hpp"
#include "core/short_text.hpp"

namespace halocline::device::host {
namespace {

/// The item for one launch: captured marks are replaced by this launch's.
Item instantiate(Item item, const std::vector<MarkPtr>& marks) {
  if (auto* record = std::get_if<Record>(&item.step)) record->mark = marks[record->mark->index];
  if (auto* wait = std::get_if<AwaitMark>(&item.step)) wait->mark = marks[wait->mark->index];
  return item;
}

const std::shared_ptr<const std::function<void()>>& nothing() {
  static const auto function = std::make_shared<const std::function<void()>>([] {});
  return function;
}

}  // namespace

HostGraph::HostGraph(std::shared_ptr<Scheduler> scheduler, std::vector<Lane> lanes, std::size_t marks)
    : scheduler_(std::move(scheduler)), lanes_(std::move(lanes)), marks_(marks) {
  for (std::size_t i = 1; i < lanes_.size(); ++i) {
    queues_.push_back(std::make_shared<Queue>(lanes_[i].device, lanes_[i].priority));
  }
}

HostGraph::~HostGraph() {
  std::size_t dropped = 0;
  for (const auto& queue : queues_) dropped += scheduler_->close(*queue);
  if (dropped != 0) log_leak(ShortText("a graph was destroyed with {} operations not run", dropped));
}

void HostGraph::launch(Queue& queue) {
  scheduler_->wait_for_room(queue);
  Item start{Operation::graph, Run{nothing()}, scheduler_->injection(Operation::graph, queue.device)};
  std::vector<MarkPtr> marks(marks_);
  for (MarkPtr& mark : marks) mark = std::make_shared<Mark>();
  std::vector<std::vector<Item>> items(lanes_.size());
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    for (const Item& item : lanes_[lane].items) {
      items[lane].push_back(instantiate(scheduler_->with_injection(item, lanes_[lane].device), marks));
    }
  }
  auto end = std::make_shared<Mark>();

  Scheduler::Lock held = scheduler_->lock();
  if (queue.capture != nullptr) throw CapabilityError("a graph cannot be launched by a stream that is being captured");
  if (queue.failure != nullptr) raise(*queue.failure);
  if (last_ != nullptr && last_->failure != nullptr) raise(*last_->failure);
  for (const auto& own : queues_) {
    if (own->failure != nullptr) raise(*own->failure);
  }
  // Launches serialise. The other lanes begin by waiting for a mark of this launch, so one wait holds up them all.
  if (last_ != nullptr) scheduler_->push(held, queue, {Operation::wait_event, AwaitMark{last_}, {}});
  scheduler_->push(held, queue, std::move(start));
  for (Item& item : items[0]) scheduler_->push(held, queue, std::move(item));
  scheduler_->push(held, queue, {Operation::record, Record{end}, {}});
  for (std::size_t lane = 1; lane < items.size(); ++lane) {
    for (Item& item : items[lane]) scheduler_->push(held, *queues_[lane - 1], std::move(item));
  }
  last_ = std::move(end);
  scheduler_->release(held);
}

}  // namespace halocline::device::host
