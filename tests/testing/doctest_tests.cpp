// SPDX-License-Identifier: Apache-2.0
//
// The test kit with doctest.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "programs.hpp"

#include <millrace/testing.hpp>

#include <doctest/doctest.h>

namespace millrace::test {

TEST_CASE("upload is ordered before use") {
  const sim::Report report = upload_and_use(true);
  const auto outcome = expect::runs_before("upload", "use")(report);
  CHECK_MESSAGE(outcome, outcome);
}

// CTest looks at what this prints.
TEST_CASE("a race fails" * doctest::should_fail()) {
  const auto outcome = expect::is_free_of_findings()(upload_and_use(false));
  CHECK_MESSAGE(outcome, outcome);
}

}  // namespace millrace::test
