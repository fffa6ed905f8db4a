// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/sum_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/checked.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

/// A sum that a task is made of, and how its units lie.
struct Planned {
  const StridedSum* sum = nullptr;
  const StridedSum* other = nullptr;  ///< of the same shape
  std::int64_t elements = 1;          ///< of a unit
  std::int64_t head = 0;
};

bool is_aligned(const std::byte* first, const std::array<std::int64_t, 3>& stride, std::int64_t bytes) {
  return (reinterpret_cast<std::intptr_t>(first) | stride[1] | stride[2]) % bytes == 0;
}

Planned planned(const StridedSum& sum) {
  const std::int64_t element = bytes_of(sum.element);
  const std::int64_t wide = wide_unit(static_cast<std::uint32_t>(element));
  // The ends of short rows would be most of them.
  bool contiguous = wide > 1 && sum.extent.x >= 4 * wide && sum.target_stride[0] == element;
  for (const StridedSum::Term& term : sum.terms) contiguous = contiguous && term.stride[0] == element;
  const std::int64_t over = reinterpret_cast<std::intptr_t>(sum.target) % (wide * element);
  const bool aligned = over % element == 0 && is_aligned(sum.target - over, sum.target_stride, wide * element);
  return contiguous && aligned ? Planned{&sum, nullptr, wide, over / element} : Planned{&sum};
}

bool have_one_shape(const Planned& a, const Planned& b) {
  const auto same_stride = [](const StridedSum::Term& one, const StridedSum::Term& other) {
    return one.stride == other.stride;
  };
  return a.elements == b.elements && a.head == b.head && a.sum->extent == b.sum->extent &&
         a.sum->target_stride == b.sum->target_stride && std::ranges::equal(a.sum->terms, b.sum->terms, same_stride);
}

/// Of two with the same shape, which are the two sides of a field, the first is given the other; the other goes.
void pair(std::vector<Planned>& all) {
  for (auto one = all.begin(); one != all.end(); ++one) {
    if (one->sum->extent.volume() >= std::int64_t{1} << 30) continue;
    const auto other = std::find_if(one + 1, all.end(), [&](const Planned& b) { return have_one_shape(*one, b); });
    if (other == all.end()) continue;
    one->other = other->sum;
    all.erase(other);
  }
}

void check(const StridedSum& sum) {
  bool null = sum.target == nullptr;
  for (const StridedSum::Term& term : sum.terms) null = null || term.first == nullptr;
  if (null) throw InvalidArgument("the target or a term of a sum is null");
  // Dividers take numbers below 2^31.
  static_cast<void>(checked_cast<std::int32_t>(sum.extent.volume(), "the cells of a sum"));
}

/// The sums, which have one element type.
SumPlan plan_of(const std::vector<Planned>& all) {
  SumPlan plan;
  plan.element = all.front().sum->element;
  for (const Planned& one : all) {
    const StridedSum& sum = *one.sum;
    const std::int64_t element = bytes_of(sum.element);
    const std::int64_t unit = one.elements * element;
    const std::int64_t row = (one.head + sum.extent.x + one.elements - 1) / one.elements;
    const std::int64_t partners = one.other != nullptr ? 2 : 1;
    const auto strides = [&](const std::array<std::int64_t, 3>& stride, std::int64_t to_other) {
      return std::array{one.elements > 1 ? unit : stride[0], to_other, stride[1], stride[2]};
    };
    const auto count = [](std::int64_t n) { return checked_cast<std::uint32_t>(n, "the units of a sum"); };

    SumTask task;
    task.target = sum.target - one.head * element;
    task.stride = strides(sum.target_stride, one.other != nullptr ? one.other->target - sum.target : 0);
    task.row = Divider(count(row));
    task.sums = Divider(count(partners));
    task.y = Divider(count(sum.extent.y));
    task.units = count(row * partners * sum.extent.y * sum.extent.z);
    task.wide = one.elements > 1;
    task.head = static_cast<std::uint8_t>(one.head);
    task.tail = static_cast<std::uint8_t>(row * one.elements - one.head - sum.extent.x);

    SumTile tile{.task = count(std::ssize(plan.tasks)), .first_term = count(std::ssize(plan.terms))};
    for (std::size_t i = 0; i < sum.terms.size(); ++i) {
      const StridedSum::Term& term = sum.terms[i];
      const std::int64_t to_other = one.other != nullptr ? one.other->terms[i].first - term.first : 0;
      const std::byte* first = term.first - one.head * element;
      plan.terms.push_back({first, strides(term.stride, to_other),
                            task.wide && is_aligned(first, term.stride, unit) && to_other % unit == 0});
    }
    tile.end_term = count(std::ssize(plan.terms));
    for (; tile.first_unit < task.units; tile.first_unit += units_of_tile(static_cast<std::uint32_t>(unit)))
      plan.tiles.push_back(tile);
    plan.tasks.push_back(task);
  }
  return plan;
}

}  // namespace

std::vector<SumPlan> plan_sums(std::span<const StridedSum> sums) {
  std::map<Element, std::vector<Planned>> by_element;
  for (const StridedSum& sum : sums) {
    if (sum.extent.volume() == 0 || sum.terms.empty()) continue;
    check(sum);
    by_element[sum.element].push_back(planned(sum));
  }
  std::vector<SumPlan> plans;
  for (auto& [element, its] : by_element) {
    pair(its);
    plans.push_back(plan_of(its));
  }
  return plans;
}

}  // namespace halocline::device::cuda
