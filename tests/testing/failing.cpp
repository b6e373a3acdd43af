// SPDX-License-Identifier: Apache-2.0
//
// Tests that fail on purpose; check_failures runs them.
#include "programs.hpp"

#include <millrace/catch2_session.hpp>

#include <catch2/catch_test_macros.hpp>

namespace millrace::test {

TEST_CASE("a race is found (numbers)") { CHECK_THAT(upload_and_use(false), is_free_of_findings()); }

TEST_CASE("no order is found") { CHECK_THAT(upload_and_use(false), runs_before("upload", "use")); }

TEST_CASE("another run than the golden one") {
  CHECK_THAT(upload_and_use(false), matches_golden("golden/another.txt"));
}

}  // namespace millrace::test

int main(int argc, char* argv[]) { return millrace::run_tests(argc, argv); }
