// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "context.hpp"

namespace cli {

/// A list in a document that is too long to be held as one: its elements are made when they are written.
struct LongList {
  std::string key;
  std::size_t size = 0;
  std::function<Json(std::size_t)> element;
};

/// Writes what document.dump(2) gives with the list in the place of the document's value at its key.
void write_document(const Json& document, const LongList& list, const std::function<void(std::string_view)>& write);

/// print_document() with such a list.
void print_document(const Context& context, const Json& document, const LongList& list);

}  // namespace cli
