// SPDX-License-Identifier: BSD-3-Clause
#include "device/threaded/event.hpp"

#include "device/threaded/launcher.hpp"

namespace halocline::device::threaded {

ThreadedEvent::ThreadedEvent(std::unique_ptr<Event> inner, int device, bool dedicated_cores)
    : shared_(std::make_shared<Shared>()), dedicated_cores_(dedicated_cores) {
  shared_->inner = std::move(inner);
  shared_->device = device;
}

bool ThreadedEvent::query() const {
  if (shared_->made.load(std::memory_order_acquire) < shared_->asked.load(std::memory_order_acquire)) return false;
  if (const FailurePtr failure = shared_->failure()) raise(*failure);
  return shared_->inner->query();
}

Duration ThreadedEvent::since(const Event& earlier) const {
  const Shared& first = *threaded(earlier).shared();
  for (const Shared* mark : {&first, const_cast<const Shared*>(shared_.get())}) {
    spin_until([mark] { return mark->made.load(std::memory_order_acquire) >= mark->asked.load(); }, dedicated_cores_);
  }
  return shared_->inner->since(*first.inner);
}

const ThreadedEvent& threaded(const Event& event) {
  const auto* mine = dynamic_cast<const ThreadedEvent*>(&event);
  if (mine == nullptr) throw InvalidArgument("the event belongs to another backend than the stream");
  return *mine;
}

}  // namespace halocline::device::threaded
