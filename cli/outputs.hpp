// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "context.hpp"

/// What a command writes: standard output, and the files that its options name.
namespace cli {

/// Opens the standard descriptors that are closed, so that no other file gets their numbers; writing to standard output
/// then fails.
void hold_standard_descriptors();

/// Writes text to standard output. The first failure is kept for finish_output(), and nothing is written after it.
void print_out(std::string_view text);
/// What was printed goes out now, as a long command's user is waiting for it.
void flush_out();
/// Flushes standard output: to be called once, at the end. Throws ResourceError where a part of what was printed was lost.
/// If the reader of a pipe has exited, as in `... | head`, the process ends by SIGPIPE without a message.
void finish_output();

/// Finds out before long work that the file of an option cannot be written. Collective; rank 0 looks.
/// Throws as io::check_writable().
void check_output(Context& context, const std::string& option, const std::string& path);
/// Collective; rank 0 writes. Throws as io::write_file().
void write_output(Context& context, const std::string& option, const std::string& path, std::string_view content);

}  // namespace cli
