// SPDX-License-Identifier: Apache-2.0
//
// The test kit with GoogleTest.
#include "programs.hpp"

#include <millrace/testing.hpp>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace millrace::test {

TEST(Upload, IsOrderedBeforeUse) {
  const sim::Report report = upload_and_use(true);
  const auto outcome = expect::runs_before("upload", "use")(report);
  EXPECT_TRUE(outcome) << outcome;
}

TEST(Upload, FailsWithFindingCureAndReplay) {
  const expect::Outcome outcome = expect::is_free_of_findings()(upload_and_use(false));
  EXPECT_NONFATAL_FAILURE(EXPECT_TRUE(outcome) << outcome, "race on numbers");
  EXPECT_NONFATAL_FAILURE(EXPECT_TRUE(outcome) << outcome, "  fix:    ");
  EXPECT_NONFATAL_FAILURE(EXPECT_TRUE(outcome) << outcome, "replay: MILLRACE_REPLAY=mr1-");
}

}  // namespace millrace::test
