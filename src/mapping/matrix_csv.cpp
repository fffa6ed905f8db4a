// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <istream>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>

#include "core/limits.hpp"
#include "core/printable.hpp"
#include "halocline/error.hpp"
#include "mapping/communication_matrix.hpp"

namespace halocline::mapping {
namespace {

constexpr std::string_view ranks_comment = "# ranks ";
constexpr std::string_view end_comment = "# end";
constexpr std::string_view header = "from,to,bytes,messages";
constexpr std::string_view short_header = "from,to,bytes";
constexpr std::string_view job_header = "from,to,cpu_bytes,cpu_messages,gpu_bytes,gpu_messages";

/// One line of a file that means something.
struct Line {
  std::string text;
  int number = 0;
};

/// What is wrong where.
class Complaint {
 public:
  explicit Complaint(const std::string& name) : name_(name) {}
  [[noreturn]] void operator()(int line, const std::string& what) const {
    throw InvalidArgument(fmt::format("{}, line {}: {}", name_, line, printable(what)));
  }

 private:
  const std::string& name_;
};

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const auto comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::int64_t number(std::string_view cell, int line, std::int64_t most, const Complaint& wrong) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size() || value < 0 || value > most) {
    wrong(line, fmt::format("'{}'; allowed is a whole number from 0 to {}", cell, most));
  }
  return value;
}

/// A line of the sparse form: the pair, and the numbers after it; numbers without a column are 0.
struct Entry {
  int from = 0;
  int to = 0;
  std::array<std::int64_t, 4> values{};
  int line = 0;
};

/// All lines that mean something, the number of ranks of the comment, and whether the last line is the end mark.
struct Content {
  std::vector<Line> lines;
  std::optional<std::int64_t> ranks;
  bool ended = false;
};

/// The flows of the sparse form, by pair, and the number of ranks.
struct Sparse {
  int ranks = 0;
  std::vector<Entry> entries;
};

void check_pairs(const std::vector<Entry>& entries, const Complaint& wrong) {
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const Entry& before = entries[i - 1];
    const Entry& entry = entries[i];
    if (before.from != entry.from || before.to != entry.to) continue;
    wrong(entry.line, fmt::format("the pair {},{} is there already, in line {}; allowed is once", entry.from, entry.to,
                                  before.line));
  }
}

Sparse sparse(const Content& content, std::size_t columns, const Complaint& wrong) {
  Sparse found;
  std::int64_t last = 0;
  for (auto line = content.lines.begin() + 1; line != content.lines.end(); ++line) {
    const auto cells = split(line->text);
    if (cells.size() != columns) {
      wrong(line->number,
            fmt::format("{} values; allowed is {}: {}", cells.size(), columns, content.lines.front().text));
    }
    const std::int64_t most = content.ranks.value_or(limits::ranks) - 1;
    const auto from = number(cells[0], line->number, most, wrong);
    const auto to = number(cells[1], line->number, most, wrong);
    last = std::max({last, from, to});
    Entry entry{static_cast<int>(from), static_cast<int>(to), {}, line->number};
    for (std::size_t i = 2; i < columns; ++i)
      entry.values[i - 2] = number(cells[i], line->number, limits::matrix_sum, wrong);
    found.entries.push_back(entry);
  }
  std::ranges::stable_sort(found.entries, {}, [](const Entry& e) { return std::pair(e.from, e.to); });
  check_pairs(found.entries, wrong);
  found.ranks = static_cast<int>(content.ranks.value_or(last + 1));
  return found;
}

/// Adds a flow; if the sum of all flows becomes too large, the error contains the line.
void add(CommunicationMatrix& matrix, const Entry& entry, std::int64_t bytes, std::int64_t messages,
         const Complaint& wrong) {
  try {
    matrix.add(entry.from, entry.to, bytes, messages);
  } catch (const InvalidArgument& error) {
    wrong(entry.line, error.what());
  }
}

CommunicationMatrix matrix_of(const Content& content, const Complaint& wrong) {
  const bool counted = content.lines.front().text == header;
  const Sparse found = sparse(content, counted ? 4 : 3, wrong);
  CommunicationMatrix matrix(found.ranks);
  for (const Entry& e : found.entries) add(matrix, e, e.values[0], counted ? e.values[1] : 1, wrong);
  return matrix;
}

CommunicationMatrix dense(const std::vector<Line>& lines, const Complaint& wrong) {
  const std::size_t ranks = lines.size();
  if (std::cmp_greater(ranks, limits::ranks)) {
    wrong(lines.back().number, fmt::format("{} lines; allowed is at most {}", ranks, limits::ranks));
  }
  CommunicationMatrix matrix(static_cast<int>(ranks));
  for (std::size_t from = 0; from < ranks; ++from) {
    const auto cells = split(lines[from].text);
    if (cells.size() != ranks) {
      wrong(lines[from].number,
            fmt::format("{} values in a file of {} lines; allowed is as many values as lines, or a first line {}",
                        cells.size(), ranks, header));
    }
    for (std::size_t to = 0; to < ranks; ++to) {
      const auto bytes = number(cells[to], lines[from].number, limits::matrix_sum, wrong);
      const Entry entry{static_cast<int>(from), static_cast<int>(to), {}, lines[from].number};
      if (bytes > 0) add(matrix, entry, bytes, 1, wrong);
    }
  }
  return matrix;
}

std::string_view without_blanks_behind(std::string_view line) {
  const auto last = line.find_last_not_of(" \t\r");
  return line.substr(0, last + 1);
}

Content read_content(std::istream& in, const std::string& name, const Complaint& wrong) {
  Content content;
  std::string text;
  for (int at = 1; std::getline(in, text); ++at) {
    if (text.starts_with(ranks_comment)) {
      const std::string_view count = without_blanks_behind(std::string_view(text).substr(ranks_comment.size()));
      content.ranks = number(count, at, limits::ranks, wrong);
      if (*content.ranks == 0) wrong(at, "0 ranks; allowed is 1 or more");
    }
    if (!without_blanks_behind(text).empty())
      content.ended = without_blanks_behind(text) == end_comment && !in.eof();  // with its newline
    if (text.starts_with('#')) continue;
    std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    if (!text.empty()) content.lines.push_back({text, at});
  }
  if (in.bad()) throw InvalidArgument(fmt::format("{} cannot be read", name));
  return content;
}

void add_if_any(CommunicationMatrix& matrix, const Entry& entry, std::int64_t bytes, std::int64_t messages,
                const Complaint& wrong) {
  if (bytes > 0 || messages > 0) add(matrix, entry, bytes, messages, wrong);
}

}  // namespace

CommunicationMatrix read_matrix(std::istream& in, const std::string& name) {
  const Complaint wrong(name);
  const Content content = read_content(in, name, wrong);
  if (content.lines.empty()) {
    throw InvalidArgument(
        fmt::format("{} holds no line; allowed is {} and a line a flow, or N lines of N numbers", name, header));
  }
  const std::string& first = content.lines.front().text;
  return first == header || first == short_header ? matrix_of(content, wrong) : dense(content.lines, wrong);
}

Communication read_communication(std::istream& in, const std::string& name) {
  const Complaint wrong(name);
  const Content content = read_content(in, name, wrong);
  if (content.lines.empty()) {
    throw InvalidArgument(fmt::format("{} holds no line; allowed is {} and a line a flow", name, job_header));
  }
  const Line& first = content.lines.front();
  if (first.text != job_header) wrong(first.number, fmt::format("'{}'; allowed is {}", first.text, job_header));
  if (!content.ended) {
    throw InvalidArgument(
        fmt::format("{} is cut off: its last line is not '{}'; allowed is a whole file", name, end_comment));
  }
  const Sparse found = sparse(content, 6, wrong);
  Communication communication(found.ranks);
  for (const Entry& e : found.entries) {
    add_if_any(communication.cpu, e, e.values[0], e.values[1], wrong);
    add_if_any(communication.gpu, e, e.values[2], e.values[3], wrong);
  }
  return communication;
}

void write_matrix(std::ostream& out, const CommunicationMatrix& matrix) {
  out << ranks_comment << matrix.ranks() << '\n' << header << '\n';
  for (int from = 0; from < matrix.ranks(); ++from) {
    for (const Flow& flow : matrix.row(from)) {
      out << fmt::format("{},{},{},{}\n", from, flow.to, flow.bytes, flow.messages);
    }
  }
  out << end_comment << '\n';
}

void write_communication(std::ostream& out, const Communication& communication) {
  const auto& [cpu, gpu] = communication;
  if (cpu.ranks() != gpu.ranks()) {
    throw InvalidArgument(
        fmt::format("the matrices have {} and {} ranks; allowed is as many", cpu.ranks(), gpu.ranks()));
  }
  out << ranks_comment << cpu.ranks() << '\n' << job_header << '\n';
  for (int from = 0; from < cpu.ranks(); ++from) {
    auto mine = cpu.row(from);
    auto other = gpu.row(from);
    while (!mine.empty() || !other.empty()) {
      const int to =
          other.empty() || (!mine.empty() && mine.front().to <= other.front().to) ? mine.front().to : other.front().to;
      const auto taken = [to](std::span<const Flow>& row) {
        if (row.empty() || row.front().to != to) return Flow{to, 0, 0};
        const Flow flow = row.front();
        row = row.subspan(1);
        return flow;
      };
      const Flow on_cpu = taken(mine);
      const Flow on_gpu = taken(other);
      out << fmt::format("{},{},{},{},{},{}\n", from, to, on_cpu.bytes, on_cpu.messages, on_gpu.bytes, on_gpu.messages);
    }
  }
  out << end_comment << '\n';
}

}  // namespace halocline::mapping
