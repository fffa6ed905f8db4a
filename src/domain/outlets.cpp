// Cells that kernels store in neighbours' halos by themselves.
#include <fmt/core.h>

#include "domain/domain_impl.hpp"

namespace halocline {

void Domain::mark_stored(field_id field, const Directions& directions, int ahead) {
  impl_->check_realized("mark_stored()");
  const auto& descriptor = impl_->field(field);
  const auto refuse = [&](const std::string& why) {
    throw InvalidArgument(fmt::format("mark_stored of field '{}', {}", descriptor.name, why));
  };
  if (halo_multiplier() > 1) {
    refuse(fmt::format("halo_multiplier is {}; allowed is 1, as neighbours read halos between exchanges",
                       halo_multiplier()));
  }
  if (impl_->exchange->under_way()) {
    refuse("between start_exchange and finish_exchange; allowed is behind an exchange");
  }
  if (ahead < 0 || ahead % descriptor.buffers == 0) {
    refuse(
        fmt::format("ahead is {} of {} buffers; allowed are those that are not the current one, which neighbours read",
                    ahead, descriptor.buffers));
  }
  if (!impl_->exchanged[field.index()]) {
    refuse("which was not exchanged since it was swapped; allowed is behind an exchange of it");
  }
  const int set = (impl_->current[field.index()] + ahead) % descriptor.buffers;
  impl_->stored[field.index()][static_cast<std::size_t>(set)] |= directions;
}

void Domain::forget_stored(field_id field) {
  impl_->check_realized("forget_stored()");
  static_cast<void>(impl_->field(field));
  for (Directions& stored : impl_->stored[field.index()]) stored.reset();
}

std::optional<exchange::Outlet> Domain::outlet_of(std::size_t position, field_id field, Direction direction, int ahead,
                                                  Element element) const {
  return impl_->exchange->outlet(position, field, impl_->set_of("outlet", field, ahead, element), direction);
}

}  // namespace halocline
