// SPDX-License-Identifier: Apache-2.0
// Every line of the measured tables is a case, or is listed with the reason why it is none.

#include "truth.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <fstream>
#include <map>
#include <string_view>

namespace millrace::contract {
namespace {

/// The lines of a file of two columns, in order.
using Table = std::vector<std::pair<std::string, std::string>>;

Table read_table(const std::string& name) {
  std::ifstream file("tests/contract/truth/" + name + ".tsv");
  REQUIRE(file);
  Table table;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    REQUIRE(tab != std::string::npos);
    table.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  return table;
}

constexpr std::array tables{"events", "streams", "capture", "more", "kernels", "pools", "torch"};

/// Error codes as the runtime names them: cudaErrorNotReady is NotReady.
std::string in_our_words(std::string text) {
  for (const std::string_view prefix : {"cudaError", "cudaSuccess"}) {
    const std::size_t kept = prefix == "cudaError" ? prefix.size() : 4;
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
      text.erase(at, kept);
    }
  }
  return text;
}

std::map<std::string, std::string> measured() {
  std::map<std::string, std::string> answers;
  for (const char* const name : tables) {
    for (const auto& [line, answer] : read_table(name)) answers[line] = in_our_words(answer);
  }
  return answers;
}

/// Whether an entry of truth/elsewhere.tsv means the line: its name, or its beginning and a star.
bool covers(const std::string& entry, const std::string& line) {
  if (entry.back() != '*') return entry == line;
  return line.starts_with(entry.substr(0, entry.size() - 1));
}

std::string play(const Truth& truth) {
  std::string answered;
  try {
    world().run(1, [&] {
      Scene scene;
      answered = truth.play(scene);
    });
  } catch (const std::exception& error) {
    return error.what();
  }
  return answered;
}

void check(const Truths& truths) {
  const std::map<std::string, std::string> answers = measured();
  in_every_world([&] {
    for (const Truth& truth : truths) {
      if (truth.only_measured && !world().is_measured()) continue;
      CAPTURE(truth.line);
      REQUIRE(answers.contains(truth.line));
      CHECK(play(truth) == answers.at(truth.line));
    }
  });
}

Truths all_truths() {
  Truths all;
  for (const Truths& some :
       {event_truths(), stream_truths(), blocking_truths(), capture_truths(), graph_truths(),
        meeting_truths(), more_truths(), kernel_truths(), reuse_truths(), pool_truths()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

TEST_CASE("events answer as an H200 did") { check(event_truths()); }
TEST_CASE("streams, memory and errors answer as an H200 did") { check(stream_truths()); }
TEST_CASE("calls wait for busy streams as on an H200") { check(blocking_truths()); }
TEST_CASE("captures answer as an H200 did") { check(capture_truths()); }
TEST_CASE("graphs answer as an H200 did") { check(graph_truths()); }
TEST_CASE("calls that meet a capture answer as an H200 did") { check(meeting_truths()); }
TEST_CASE("the legacy stream and captures answer each other as on an H200") {
  check(more_truths());
}
TEST_CASE("kernels that fail answer as an H200 did") { check(kernel_truths()); }
TEST_CASE("pools give freed blocks again as an H200 did") { check(reuse_truths()); }
TEST_CASE("pools keep, give back and refuse as an H200 did") { check(pool_truths()); }

TEST_CASE("every line that was measured is a case, or says why it is none") {
  const Truths truths = all_truths();
  const Table elsewhere = read_table("elsewhere");
  for (const char* const name : tables) {
    for (const auto& row : read_table(name)) {
      const std::string& line = row.first;
      CAPTURE(name, line);
      const auto cases = std::ranges::count(truths, line, &Truth::line);
      const auto listed = std::ranges::count_if(
          elsewhere, [&](const auto& entry) { return covers(entry.first, line); });
      CHECK(cases + listed == 1);
    }
  }
}

TEST_CASE("what is listed as no case is a line, and has a reason") {
  const std::map<std::string, std::string> answers = measured();
  for (const auto& entry : read_table("elsewhere")) {
    CAPTURE(entry.first);
    CHECK_FALSE(entry.second.empty());
    CHECK(std::ranges::any_of(answers,
                              [&](const auto& line) { return covers(entry.first, line.first); }));
  }
}

}  // namespace
}  // namespace millrace::contract
