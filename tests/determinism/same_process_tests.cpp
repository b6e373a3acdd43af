// SPDX-License-Identifier: Apache-2.0
#include <millrace/millrace.hpp>
#include <millrace/script.hpp>
#include <millrace/sim.hpp>
#include <millrace/trace_file.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using namespace millrace;

namespace {

std::vector<std::string> scripts() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("tests/cases")) {
    if (entry.path().extension() == ".mill") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The native trace of a script's run and what was found in it; its error where it has one.
std::string run_once(const std::string& file) {
  std::ostringstream out;
  try {
    const sim::ScriptReport outcome = sim::run(Script::load(file));
    write_trace(outcome.report.trace, out);
    for (const Finding& finding : outcome.verdict.findings) out << describe(finding);
    for (const std::string& difference : outcome.verdict.differences) out << difference;
  } catch (const Error& error) {
    out << error.what();
  }
  return out.str();
}

}  // namespace

TEST_CASE("Every script gives the same trace and findings twice in one process") {
  const std::vector<std::string> files = scripts();
  REQUIRE(files.size() > 200);
  for (const std::string& file : files) {
    CAPTURE(file);
    CHECK(run_once(file) == run_once(file));
  }
}

TEST_CASE("Runs at the same time on several threads do not disturb each other") {
  const std::vector<std::string> files = scripts();
  std::vector<std::string> alone;
  for (const std::string& file : files) alone.push_back(run_once(file));
  std::vector<std::vector<std::string>> together(4);
  {
    std::vector<std::thread> threads;
    for (std::vector<std::string>& results : together) {
      threads.emplace_back([&files, &results] {
        for (const std::string& file : files) results.push_back(run_once(file));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  for (const std::vector<std::string>& results : together) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      CAPTURE(files[i]);
      CHECK(results[i] == alone[i]);
    }
  }
}

TEST_CASE("A program over the public API gives the same trace twice") {
  const auto program = [] {
    Stream upload{StreamOptions{.name = "upload"}};
    Stream compute{StreamOptions{.name = "compute"}};
    Event ready;
    for (int i = 0; i < 100; ++i) {
      upload.launch("fill", {.cost = Duration{1000 + i}});
      upload.record_event(ready);
      compute.wait_event(ready);
      compute.launch("use", {.cost = Duration{1500}});
    }
    compute.synchronize();
  };
  const sim::Report first = sim::run({.seed = 7}, program);
  const sim::Report second = sim::run({.seed = 7}, program);
  CHECK(first.trace == second.trace);
  CHECK(first.replay == second.replay);
}
