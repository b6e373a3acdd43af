// SPDX-License-Identifier: Apache-2.0
//
// The test kit and its main function.
#include <millrace/catch2_session.hpp>

#include <catch2/catch_test_macros.hpp>

TEST_CASE("a kernel runs before the next of its stream") {
  const auto report = millrace::sim::run([] {
    const millrace::Stream stream;
    for (const char* const name : {"first", "second"}) stream.launch(name);
  });
  CHECK_THAT(report, millrace::is_free_of_findings() && millrace::runs_before("first", "second"));
}

int main(int argc, char* argv[]) { return millrace::run_tests(argc, argv); }
