#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "model/simulation/network.hpp"

// What the library and its program for SimGrid tell each other: 64-bit words in the machine's own order, as both are of one build.
namespace halocline::model::simulation {

/// What ends_by_simgrid is asked, as one value.
struct Question {
  std::vector<double> bandwidths;
  std::vector<LinkFlow> flows;
};

/// Links of which some flow takes other than 1 a byte.
inline std::vector<char> weighted_links(std::size_t links, std::span<const LinkFlow> flows) {
  std::vector<char> weighted(links, 0);
  for (const LinkFlow& flow : flows) {
    for (std::size_t l = 0; l < flow.weights.size(); ++l) {
      if (flow.weights[l] != 1) weighted[static_cast<std::size_t>(flow.links[l])] = 1;
    }
  }
  return weighted;
}

namespace wire {

inline constexpr std::int64_t version = 2;

inline void put(std::vector<std::int64_t>& words, std::span<const int> list) {
  words.push_back(static_cast<std::int64_t>(list.size()));
  words.insert(words.end(), list.begin(), list.end());
}

inline std::int64_t word_of(double number) {
  std::int64_t word = 0;
  std::memcpy(&word, &number, sizeof(word));
  return word;
}

inline double number_of(std::int64_t word) {
  double number = 0;
  std::memcpy(&number, &word, sizeof(word));
  return number;
}

inline std::vector<std::int64_t> encode(std::span<const double> bandwidths, std::span<const LinkFlow> flows) {
  std::vector<std::int64_t> words{version, static_cast<std::int64_t>(bandwidths.size()),
                                  static_cast<std::int64_t>(flows.size())};
  for (const double bandwidth : bandwidths) words.push_back(word_of(bandwidth));
  for (const LinkFlow& flow : flows) {
    words.push_back(flow.bytes);
    words.push_back(word_of(flow.latency));
    put(words, flow.links);
    put(words, flow.after);
    words.push_back(static_cast<std::int64_t>(flow.weights.size()));
    for (const double weight : flow.weights) words.push_back(word_of(weight));
  }
  return words;
}

/// Reads words one after another. Throws std::runtime_error where there are too few.
class Reader {
 public:
  explicit Reader(std::span<const std::int64_t> words) : words_(words) {}

  std::int64_t next() {
    if (position_ == words_.size()) throw std::runtime_error("the question ends too early");
    return words_[position_++];
  }
  /// A number of things that the words left can hold.
  std::size_t count() {
    const std::int64_t found = next();
    if (found < 0 || static_cast<std::size_t>(found) > words_.size() - position_) {
      throw std::runtime_error("the question ends too early");
    }
    return static_cast<std::size_t>(found);
  }
  /// Positions in a list of `size`.
  std::vector<int> list(std::size_t size) {
    std::vector<int> found(count());
    for (int& position : found) {
      const std::int64_t word = next();
      if (word < 0 || static_cast<std::size_t>(word) >= size) throw std::runtime_error("a position is not in its list");
      position = static_cast<int>(word);
    }
    return found;
  }

 private:
  std::span<const std::int64_t> words_;
  std::size_t position_ = 0;
};

/// Throws std::runtime_error for what encode() does not write.
inline Question decode(std::span<const std::int64_t> words) {
  Reader reader(words);
  if (reader.next() != version) throw std::runtime_error("the question is of another version");
  Question question;
  question.bandwidths.resize(reader.count());
  question.flows.resize(reader.count());
  for (double& bandwidth : question.bandwidths) bandwidth = number_of(reader.next());
  for (LinkFlow& flow : question.flows) {
    flow.bytes = reader.next();
    flow.latency = number_of(reader.next());
    flow.links = reader.list(question.bandwidths.size());
    flow.after = reader.list(question.flows.size());
    flow.weights.resize(reader.count());
    for (double& weight : flow.weights) weight = number_of(reader.next());
    if (!flow.weights.empty() && flow.weights.size() != flow.links.size()) {
      throw std::runtime_error("a flow has another number of weights than of links");
    }
  }
  return question;
}

}  // namespace wire
}  // namespace halocline::model::simulation
