// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "device/strided_copy.hpp"
#include "exchange/detail/exchange_plan.hpp"
#include "exchange/exchange.hpp"
#include "partition/halo.hpp"

namespace halocline::exchange {

/// Where the cells of a subdomain lie: arrays[field][buffer], and the geometry that their origins belong to.
struct Memory {
  const partition::Geometry* geometry = nullptr;
  subdomain_id subdomain;
  const std::vector<std::vector<Array>>* arrays = nullptr;

  /// Cell p of a field's buffer; see Array::cells_at.
  [[nodiscard]] StridedCells cells_at(field_id field, int buffer, const Vec3& p) const;
  [[nodiscard]] const Array& array(field_id field, int buffer) const;
};

/// Each function returns the copies of one device operation, with a separate copy for each component that is sent.
/// pack: owned cells of the sender -> payload. unpack: payload -> halo cells of the receiver.
/// put: owned cells of the sender -> halo cells of the receiver, without a payload between. Rows grow to whole sectors of
/// memory where possible: the target into the receiver's spare bytes, the source into cells that the sender owns.
/// Payloads hold cells in their fields' wire formats; put rounds cells to them.
[[nodiscard]] std::vector<device::StridedCopy> pack_copies(const Payload& payload, const Memory& sender,
                                                           std::byte* packed);
/// slack_bytes: bytes that may be read before the payload's first row and after its last. Rows then grow by up to this
/// many bytes to whole sectors: the target into the receiver's spare bytes, the source into the neighbouring bytes of
/// the payload.
[[nodiscard]] std::vector<device::StridedCopy> unpack_copies(const Payload& payload, const Memory& receiver,
                                                             const std::byte* packed, std::int64_t slack_bytes = 0);
[[nodiscard]] std::vector<device::StridedCopy> put_copies(const Payload& payload, const Memory& sender,
                                                          const Memory& receiver);

/// Adds a message's copies to a list that becomes one operation.
inline void append(std::vector<device::StridedCopy>& all, const std::vector<device::StridedCopy>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace halocline::exchange
