// SPDX-License-Identifier: BSD-3-Clause
// Halos beyond open ends: no subdomain owns them, and a hook fills them.
#include "domain/detail/domain_impl.hpp"

namespace halocline {

void Domain::Impl::check_open_ends(std::span<const Transfer> which) const {
  if (fill) return;
  const std::array<bool, 3> open = open_dims();
  for (const Transfer& transfer : which) {
    const Stencil read = plan->geometry.stencil_of(transfer.field);
    for (int dim = 0; dim < 3; ++dim) {
      for (const Side side : {Side::lower, Side::upper}) {
        const std::int64_t cells = read.face(dim, side);
        if (!open[static_cast<std::size_t>(dim)] || cells == 0) continue;
        throw InvalidArgument(fmt::format(
            "the stencil of field '{}' reads {} cell{} beyond the {} end of {}, which is open, and on_open_boundary() "
            "was not called; allowed is an exchange after on_open_boundary(fill), or, where kernels handle the end "
            "themselves, after on_open_boundary() without a function ({{}}, NULL, None; in Fortran "
            "leave_open_boundaries())",
            field(transfer.field).name, cells, cells == 1 ? "" : "s", side == Side::lower ? "lower" : "upper",
            "xyz"[dim]));
      }
    }
  }
}

void Domain::Impl::fill_open_boundaries(const Subdomain& subdomain, int step, std::span<const field_id> which) {
  if (!fill || !*fill) return;
  const auto& geometry = plan->geometry;
  const Stencil read = widest();
  const std::array<bool, 3> open = open_dims();
  for (const field_id id : which) {
    for (const auto& box :
         overlap::open_boundary_boxes(geometry.owned(id, subdomain.id()), geometry.stencil_of(id), read,
                                      options.steps_per_exchange, step, geometry.domain_box(id), open)) {
      (*fill)(subdomain, id, box);
    }
  }
}

/// Those that the step right after an exchange reads.
void Domain::Impl::fill_open_boundaries(std::span<const field_id> which) {
  for (const Subdomain& subdomain : subdomains) fill_open_boundaries(subdomain, 0, which);
}

void Domain::on_open_boundary(BoundaryFill fill) {
  impl_->life().check_open("on_open_boundary()");
  impl_->fill = std::move(fill);
}

void Subdomain::fill_open_boundaries(int step, std::span<const field_id> fields) const {
  Domain::Impl& domain = Domain::Impl::of(*domain_);
  domain.check_realized("fill_open_boundaries()");
  domain.check_step(step);
  if (fields.empty()) return domain.fill_open_boundaries(*this, step, domain.all_fields());
  domain.fill_open_boundaries(*this, step, fields);
}

}  // namespace halocline
