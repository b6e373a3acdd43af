// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

#include <millrace/catch2.hpp>

#include <catch2/catch_test_macros.hpp>

#include <vector>

using namespace millrace;

namespace {

sim::Report three_chunks() {
  return sim::run([] {
    const std::vector<float> numbers(1 << 20, 1.0F);
    Pipeline pipeline(numbers.size());
    for (int i = 0; i < 3; ++i) pipeline.submit(numbers);
    pipeline.finish();
  });
}

}  // namespace

TEST_CASE("chunks do not meet in a buffer") {
  const sim::Report report = three_chunks();
  CHECK_THAT(report, is_free_of_findings());
  CHECK_THAT(report, runs_before("upload#1", "double#1") && runs_before("double#1", "upload#3"));
}

TEST_CASE("a chunk is uploaded while the one before is computed") {
  CHECK_THAT(three_chunks(), are_overlapping("double#1", "upload#2"));
}

TEST_CASE("the timeline is the one that was reviewed") {
  CHECK_THAT(three_chunks(), matches_golden("tests/golden/three_chunks.txt"));
}
