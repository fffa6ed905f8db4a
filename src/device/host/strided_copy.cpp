// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/strided_copy.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "device/host/rows_ahead.hpp"
#include "halocline/error.hpp"

namespace halocline::device::host {
namespace {

using Loop = RowCopy::Loop;

void check(const StridedCopy& copy) {
  if (copy.extent.x < 0 || copy.extent.y < 0 || copy.extent.z < 0) {
    throw InvalidArgument("the extent of a copy is " + to_string(copy.extent) + "; allowed are numbers from 0 on");
  }
  const std::int64_t size = copy.element_bytes;
  if (size != 1 && size != 2 && size != 4 && size != 8 && size != 16) {
    throw InvalidArgument("the element size of a copy is " + std::to_string(size) + "; allowed are 1, 2, 4, 8 and 16");
  }
  const Conversion& conversion = copy.conversion;
  const auto moves = []<typename, typename, typename>() { return true; };
  if (conversion.any() && (!with_formats(conversion, moves) || size % bytes_of(conversion.cells) != 0 ||
                           bytes_of(conversion.narrow) >= bytes_of(conversion.cells))) {
    throw InvalidArgument("a copy converts elements of " + std::to_string(size) + " bytes between " +
                          std::string(to_string(conversion.cells)) + " and " +
                          std::string(to_string(conversion.narrow)) +
                          "; allowed are f64 and f32, bf16 or f16, and f32 and bf16 or f16");
  }
  if (copy.extent.volume() != 0 && (copy.source == nullptr || copy.target == nullptr)) {
    throw InvalidArgument(std::string("the ") + (copy.source == nullptr ? "source" : "target") + " of a copy is null");
  }
}

/// A row of exactly Bytes: loads and stores, no call.
template <std::int64_t Bytes>
struct Fixed {
  static void copy(std::byte* target, const std::byte* source, std::int64_t) {
    std::memcpy(target, source, static_cast<std::size_t>(Bytes));
  }
};

/// A row of Half to 2*Half bytes: its two ends, which may overlap.
template <std::size_t Half>
struct TwoEnds {
  static void copy(std::byte* target, const std::byte* source, std::int64_t bytes) {
    std::array<std::byte, Half> first{};
    std::array<std::byte, Half> last{};
    std::memcpy(first.data(), source, Half);
    std::memcpy(last.data(), source + bytes - Half, Half);
    std::memcpy(target, first.data(), Half);
    std::memcpy(target + bytes - Half, last.data(), Half);
  }
};

struct Long {
  static void copy(std::byte* target, const std::byte* source, std::int64_t bytes) {
    std::memcpy(target, source, static_cast<std::size_t>(bytes));
  }
};

/// Copies of this size leave nothing in the caches that would be read again, so their long rows are stored past them, without
/// reading the lines first. memcpy does so for one block of such a size, and cannot for its rows.
constexpr std::int64_t past_caches_from_bytes = std::int64_t{32} << 20;
constexpr std::int64_t past_caches_row_bytes = 512;

#if defined(__SSE2__)
struct PastCaches {
  static constexpr std::size_t line = 64;
  static void copy(std::byte* target, const std::byte* source, std::int64_t bytes) {
    auto left = static_cast<std::size_t>(bytes);
    const std::size_t head = -reinterpret_cast<std::uintptr_t>(target) % line;
    std::memcpy(target, source, head);
    target += head;
    source += head;
    left -= head;
    for (; left >= line; left -= line, target += line, source += line) {
      for (std::size_t i = 0; i < line; i += sizeof(__m128i)) {
        const __m128i word = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i));
        _mm_stream_si128(reinterpret_cast<__m128i*>(target + i), word);
      }
    }
    std::memcpy(target, source, left);
  }
  /// Orders the stores before later ones, such as a flag's.
  static void end() { _mm_sfence(); }
};
#else
struct PastCaches : Long {
  static void end() {}
};
#endif

/// Real numbers that change their format. Memory may be aligned in any way.
template <typename Source, typename Narrow, typename Target>
struct Converted {
  static void copy(std::byte* target, const std::byte* source, std::int64_t bytes) {
    const auto count = static_cast<std::size_t>(bytes) / sizeof(Target);
    for (std::size_t i = 0; i < count; ++i) {
      Source from;
      std::memcpy(&from, source + i * sizeof(Source), sizeof from);
      const auto to = in_format<Target>(in_format<Narrow>(from));
      std::memcpy(target + i * sizeof(Target), &to, sizeof to);
    }
  }
};

template <typename Row>
void run_loops(const RowCopy& copy) {
  const auto& [inner, middle, outer] = copy.loops;
  for (std::int64_t k = 0; k < outer.count; ++k) {
    for (std::int64_t j = 0; j < middle.count; ++j) {
      const std::byte* source = copy.source + k * outer.source_stride + j * middle.source_stride;
      std::byte* target = copy.target + k * outer.target_stride + j * middle.target_stride;
      for (std::int64_t i = 0; i < inner.count; ++i) {
        if constexpr (!std::is_same_v<Row, Long> && !std::is_same_v<Row, PastCaches>) {
          __builtin_prefetch(ahead(source, i, inner.source_stride), 0);
          __builtin_prefetch(ahead(target, i, inner.target_stride), 1);
        }
        Row::copy(target + i * inner.target_stride, source + i * inner.source_stride, copy.row_bytes);
      }
    }
  }
}

}  // namespace

RowCopy plan_rows(const StridedCopy& copy) {
  check(copy);
  RowCopy rows;
  if (copy.extent.volume() == 0) return rows;
  rows.source = copy.source;
  rows.target = copy.target;
  rows.row_bytes = copy.target_bytes();
  rows.row_source_bytes = copy.source_bytes();
  rows.conversion = copy.conversion;

  std::array<Loop, 3> loops{};
  std::size_t n = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    Loop loop{copy.extent[static_cast<int>(d)], copy.source_stride[d], copy.target_stride[d]};
    if (loop.count == 1) continue;
    if (loop.source_stride <= 0 && loop.target_stride < 0) {  // the same cells from the other end
      rows.source += (loop.count - 1) * loop.source_stride;
      rows.target += (loop.count - 1) * loop.target_stride;
      loop.source_stride = -loop.source_stride;
      loop.target_stride = -loop.target_stride;
    }
    loops[n++] = loop;
  }
  // Source and target do not overlap, so any order of the loops is right; the densest goes inside.
  std::stable_sort(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(n),
                   [](const Loop& a, const Loop& b) { return std::abs(a.target_stride) < std::abs(b.target_stride); });
  std::size_t out = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Loop& loop = loops[i];
    if (out == 0 && loop.source_stride == rows.row_source_bytes && loop.target_stride == rows.row_bytes) {
      rows.row_bytes *= loop.count;
      rows.row_source_bytes *= loop.count;
    } else if (out > 0 && loop.source_stride == rows.loops[out - 1].count * rows.loops[out - 1].source_stride &&
               loop.target_stride == rows.loops[out - 1].count * rows.loops[out - 1].target_stride) {
      rows.loops[out - 1].count *= loop.count;
    } else {
      rows.loops[out++] = loop;
    }
  }
  return rows;
}

void copy_rows(const RowCopy& copy) {
  const std::int64_t bytes = copy.row_bytes;
  if (bytes == 0) return;
  if (copy.conversion.any()) {
    with_formats(copy.conversion, [&]<typename Source, typename Narrow, typename Target>() {
      run_loops<Converted<Source, Narrow, Target>>(copy);
      return true;
    });
    return;
  }
  switch (bytes) {
    case 1: return run_loops<Fixed<1>>(copy);
    case 2: return run_loops<Fixed<2>>(copy);
    case 3: return run_loops<Fixed<3>>(copy);
    case 4: return run_loops<Fixed<4>>(copy);
    case 8: return run_loops<Fixed<8>>(copy);
    case 12: return run_loops<Fixed<12>>(copy);
    case 16: return run_loops<Fixed<16>>(copy);
    case 24: return run_loops<Fixed<24>>(copy);
    case 32: return run_loops<Fixed<32>>(copy);
    case 48: return run_loops<Fixed<48>>(copy);
    case 64: return run_loops<Fixed<64>>(copy);
    default: break;
  }
  if (bytes < 8) return run_loops<TwoEnds<4>>(copy);
  if (bytes < 16) return run_loops<TwoEnds<8>>(copy);
  if (bytes < 32) return run_loops<TwoEnds<16>>(copy);
  if (bytes < 64) return run_loops<TwoEnds<32>>(copy);
  const std::int64_t rows = copy.loops[0].count * copy.loops[1].count * copy.loops[2].count;
  if (rows == 1 || bytes < past_caches_row_bytes || bytes * rows < past_caches_from_bytes) {
    return run_loops<Long>(copy);
  }
  run_loops<PastCaches>(copy);
  PastCaches::end();
}

}  // namespace halocline::device::host
