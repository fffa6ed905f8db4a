#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <istream>
#include <limits>
#include <optional>
#include <ostream>
#include <string_view>

#include "halocline/core/error.hpp"
#include "halocline/mapping/communication_matrix.hpp"

namespace halocline::mapping {
namespace {

constexpr std::string_view ranks_comment = "# ranks ";
constexpr std::string_view header = "from,to,bytes,messages";
constexpr std::string_view short_header = "from,to,bytes";

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
    throw InvalidArgument(fmt::format("{}, line {}: {}", name_, line, what));
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

constexpr std::int64_t most_ranks = std::numeric_limits<int>::max() - 1;
constexpr std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max() / 4;

struct Entry {
  int from = 0;
  Flow flow;
  int line = 0;
};

CommunicationMatrix sparse(const std::vector<Line>& lines, std::optional<std::int64_t> ranks, const Complaint& wrong) {
  const std::size_t columns = lines.front().text == header ? 4 : 3;
  std::vector<Entry> entries;
  std::int64_t last = 0;
  for (auto line = lines.begin() + 1; line != lines.end(); ++line) {
    const auto cells = split(line->text);
    if (cells.size() != columns) {
      wrong(line->number, fmt::format("{} values; allowed is {}: {}", cells.size(), columns, lines.front().text));
    }
    const std::int64_t most = ranks ? *ranks - 1 : most_ranks;
    const auto from = number(cells[0], line->number, most, wrong);
    const auto to = number(cells[1], line->number, most, wrong);
    const auto bytes = number(cells[2], line->number, most_bytes, wrong);
    const auto messages = columns == 4 ? number(cells[3], line->number, most_bytes, wrong) : 1;
    last = std::max({last, from, to});
    entries.push_back({static_cast<int>(from), {static_cast<int>(to), bytes, messages}, line->number});
  }
  std::ranges::stable_sort(entries, {}, [](const Entry& e) { return std::pair(e.from, e.flow.to); });
  CommunicationMatrix matrix(static_cast<int>(ranks.value_or(last + 1)));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [from, flow, line] = entries[i];
    if (i > 0 && entries[i - 1].from == from && entries[i - 1].flow.to == flow.to) {
      wrong(line, fmt::format("the pair {},{} is there already, in line {}; allowed is once", from, flow.to,
                              entries[i - 1].line));
    }
    matrix.add(from, flow.to, flow.bytes, flow.messages);
  }
  return matrix;
}

CommunicationMatrix dense(const std::vector<Line>& lines, const Complaint& wrong) {
  const std::size_t ranks = lines.size();
  CommunicationMatrix matrix(static_cast<int>(ranks));
  for (std::size_t from = 0; from < ranks; ++from) {
    const auto cells = split(lines[from].text);
    if (cells.size() != ranks) {
      wrong(lines[from].number,
            fmt::format("{} values in a file of {} lines; allowed is as many values as lines, or a first line {}",
                        cells.size(), ranks, header));
    }
    for (std::size_t to = 0; to < ranks; ++to) {
      const auto bytes = number(cells[to], lines[from].number, most_bytes, wrong);
      if (bytes > 0) matrix.add(static_cast<int>(from), static_cast<int>(to), bytes);
    }
  }
  return matrix;
}

}  // namespace

CommunicationMatrix read_matrix(std::istream& in, const std::string& name) {
  const Complaint wrong(name);
  std::vector<Line> lines;
  std::optional<std::int64_t> ranks;
  std::string text;
  for (int at = 1; std::getline(in, text); ++at) {
    if (text.starts_with(ranks_comment)) {
      std::string_view count = std::string_view(text).substr(ranks_comment.size());
      while (!count.empty() && std::string_view(" \t\r").find(count.back()) != std::string_view::npos) {
        count.remove_suffix(1);
      }
      ranks = number(count, at, most_ranks, wrong);
      if (*ranks == 0) wrong(at, "0 ranks; allowed is 1 or more");
    }
    if (text.starts_with('#')) continue;
    std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    if (!text.empty()) lines.push_back({text, at});
  }
  if (in.bad()) throw InvalidArgument(fmt::format("{} cannot be read", name));
  if (lines.empty()) {
    throw InvalidArgument(
        fmt::format("{} holds no line; allowed is {} and a line a flow, or N lines of N numbers", name, header));
  }
  const std::string& first = lines.front().text;
  return first == header || first == short_header ? sparse(lines, ranks, wrong) : dense(lines, wrong);
}

void write_matrix(std::ostream& out, const CommunicationMatrix& matrix) {
  out << ranks_comment << matrix.ranks() << '\n' << header << '\n';
  for (int from = 0; from < matrix.ranks(); ++from) {
    for (const Flow& flow : matrix.row(from)) {
      out << fmt::format("{},{},{},{}\n", from, flow.to, flow.bytes, flow.messages);
    }
  }
}

}  // namespace halocline::mapping
