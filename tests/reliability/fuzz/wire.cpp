// SPDX-License-Identifier: BSD-3-Clause
// Messages between ranks, as core/serialise.hpp writes them: bytes either make a value, which is the same after it was written and read
// again, or are refused as a message of another build. The first byte of an input chooses the type.
#include <map>
#include <span>
#include <variant>

#include "core/serialise.hpp"
#include "core/verdict.hpp"
#include "discovery/serialise.hpp"
#include "halocline/ids.hpp"
#include "io/manifest.hpp"
#include "machine/synthetic.hpp"
#include "target.hpp"

namespace halocline::fuzz {
namespace {

using Bytes = std::vector<std::byte>;
/// What the ends of all messages between two ranks write during set-up (src/exchange/set_up.cpp).
using Parts = std::pair<Bytes, Bytes>;

/// All kinds of values that messages contain.
struct Mixed {
  std::map<std::string, std::vector<std::pair<int, bool>>> table;
  std::variant<int, std::string, std::vector<double>> either;
  std::vector<Bytes> blobs;
  bool flag = false;
};
auto members(MaybeConst<Mixed> auto& mixed) { return std::tie(mixed.table, mixed.either, mixed.blobs, mixed.flag); }

template <typename T>
void check(std::span<const std::byte> bytes) {
  const T value = from_bytes<T>(bytes);
  const Bytes written = to_bytes(value);
  // A map's key may be in the input twice, so that the input need not be what is written.
  require(written.size() <= bytes.size(), "a value takes no more bytes than it was read from");
  require(to_bytes(from_bytes<T>(written)) == written, "a value is the same after it was written and read");
}

constexpr void (*checks[])(std::span<const std::byte>) = {check<machine::MachineMap>,
                                                          check<machine::NvmlReport>,
                                                          check<machine::DeviceProbe>,
                                                          check<io::StoredFile>,
                                                          check<Parts>,
                                                          check<Mixed>};

template <typename T>
std::string seed_of(char type, const T& value) {
  const Bytes bytes = to_bytes(value);
  return std::string(1, type) + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

std::vector<std::string> own_seeds() {
  machine::MachineMap map = machine::synthetic({2, 2, 1});
  map.network.fabric.shape = machine::FatTree{{{2, {1e9, 1e-6}}, {4, {2e9, 1e-6}}}};
  map.sources = {"assumed"};
  machine::NvmlReport report;
  report.gpus.push_back({"GPU-1", "0000:1b:00.0", {0}, {0, 1}, 4, 16, 2619, 5120, {{}, {}}, "fabric"});
  report.pairs.push_back({"GPU-1", "GPU-2"});
  report.driver = "580.1";
  const machine::DeviceProbe device{{}, "name", "GPU-1", std::int64_t{1} << 36, 0, {"GPU-2"}, {"GPU-3"}};
  const io::StoredFile file{{"checkpoint-0000000001-0.raw", 64, 7}, {{0, 0, {{0, 0, 0}, {2, 2, 2}}, 0}}};
  const Parts parts{Bytes(16, std::byte{1}), Bytes(40, std::byte{2})};
  const Mixed mixed{{{"a", {{1, true}, {2, false}}}, {"b", {}}}, std::vector<double>{1, 2}, {Bytes(3), Bytes()}, true};
  return {seed_of('\0', map),   seed_of('\1', report), seed_of('\2', device), seed_of('\3', file),
          seed_of('\4', parts), seed_of('\5', mixed),  seed_of('\5', Mixed{})};
}

}  // namespace halocline::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace halocline;
  return fuzz::run_target<InternalError>(data, size, [](std::string_view text) {
    if (text.empty()) throw InternalError("an input without a type");
    const auto type = static_cast<unsigned char>(text.front()) % std::size(fuzz::checks);
    fuzz::checks[type](std::as_bytes(std::span(text.substr(1))));
  });
}
