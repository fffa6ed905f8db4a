// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "unit/device/support.hpp"

namespace halocline::device::test {

/// Memory shared by two processes: each has one page, and maps the other's.
struct SharedPage {
  FlagPage flags;
  std::uint64_t data;
  MemoryHandle handle;  ///< of the other process's page, if it is passed this way
};

inline std::string to_hex(const MemoryHandle& handle) {
  std::string text;
  for (const std::byte b : handle.blob) {
    constexpr char digits[] = "0123456789abcdef";
    text += digits[std::to_integer<int>(b) / 16];
    text += digits[std::to_integer<int>(b) % 16];
  }
  return text;
}

inline MemoryHandle from_hex(const std::string& text) {
  MemoryHandle handle;
  if (text.size() != 2 * handle.blob.size())
    throw std::runtime_error("a handle of " + std::to_string(text.size()) + " digits");
  for (std::size_t i = 0; i < handle.blob.size(); ++i) {
    handle.blob[i] = static_cast<std::byte>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  }
  return handle;
}

/// Several, one after another.
inline std::string to_hex(const std::vector<MemoryHandle>& handles) {
  std::string text;
  for (const MemoryHandle& handle : handles) text += to_hex(handle);
  return text;
}
inline std::vector<MemoryHandle> several_from_hex(const std::string& text) {
  constexpr std::size_t digits = 2 * sizeof(MemoryHandle);
  std::vector<MemoryHandle> handles;
  for (std::size_t at = 0; at < text.size(); at += digits) handles.push_back(from_hex(text.substr(at, digits)));
  return handles;
}

/// One half of a ping-pong over flag 1: each side adds one to the number and sends it back. Enqueues all rounds at
/// once.
inline void ping_pong(Stream& stream, SharedPage& mine, SharedPage& theirs, int rounds, bool first) {
  auto* data = reinterpret_cast<std::byte*>(&mine.data);
  for (int i = 0; i < rounds; ++i) {
    stream.advance(&mine.flags.epoch);
    if (!first) wait_for(stream, &mine.flags.epoch, &mine.flags.flags[1], 3, guard("pong", std::chrono::seconds(20)));
    stream.advance(&mine.data);
    stream.copy(reinterpret_cast<std::byte*>(&theirs.data), data, 8);
    signal_to(stream, &mine.flags.epoch, &theirs.flags.flags[1], 3);
    if (first) wait_for(stream, &mine.flags.epoch, &mine.flags.flags[1], 3, guard("ping", std::chrono::seconds(20)));
  }
}

}  // namespace halocline::device::test
