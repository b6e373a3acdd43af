// SPDX-License-Identifier: Apache-2.0
#include "naive_checker.hpp"
#include "random_program.hpp"

#include <millrace/check.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <string>

namespace millrace::test {
namespace {

/// How many programs: MILLRACE_CHECK_PROGRAMS, or else 100,000.
std::uint64_t programs() {
  const char* const wanted =
      std::getenv("MILLRACE_CHECK_PROGRAMS");  // NOLINT(concurrency-mt-unsafe)
  return wanted == nullptr ? 100'000 : std::stoull(wanted);
}

std::set<NaiveFinding> compared(const std::vector<Finding>& findings) {
  std::set<NaiveFinding> set;
  for (const Finding& finding : findings) {
    if (finding.kind != FindingKind::race && finding.kind != FindingKind::use_after_free) continue;
    const auto side = [](const Site& site) {
      return std::pair(site.step.is_call, site.step.index);
    };
    set.insert({finding.kind, finding.object, side(finding.first), side(finding.second),
                finding.begin, finding.end, finding.count});
  }
  return set;
}

std::string say(const std::set<NaiveFinding>& findings) {
  std::string text;
  for (const NaiveFinding& f : findings) {
    const auto side = [](const std::pair<bool, TraceIndex>& step) {
      return (step.first ? " call " : " operation ") + std::to_string(step.second);
    };
    text += std::string(to_string(f.kind)) + " " + f.object + side(f.first) + side(f.second) +
            " bytes " + std::to_string(f.begin) + ".." + std::to_string(f.end) + " x" +
            std::to_string(f.count) + "\n";
  }
  return text;
}

/// The first two steps that are ordered in one of them only; empty if there are none.
std::string difference_of_order(const Trace& trace, const OrderRelation& order,
                                const NaiveChecker& naive) {
  std::vector<Step> steps;
  for (TraceIndex i = 0; i < trace.operations.size(); ++i) steps.push_back(Step::operation(i));
  for (TraceIndex i = 0; i < trace.calls.size(); ++i) steps.push_back(Step::call(i));
  for (const Step a : steps) {
    for (const Step b : steps) {
      if (order.before(a, b) == naive.before(a, b)) continue;
      const auto name = [](Step step) {
        return (step.is_call ? "call " : "operation ") + std::to_string(step.index);
      };
      return name(a) + (naive.before(a, b) ? " before " : " not before ") + name(b);
    }
  }
  return "";
}

}  // namespace

TEST_CASE("order and findings are those of a naive checker", "[slow]") {
  std::uint64_t compared_programs = 0;
  std::uint64_t found = 0;
  std::uint64_t clean = 0;
  const std::uint64_t last = programs();
  for (std::uint64_t seed = 1; seed <= last; ++seed) {
    const Trace trace = RandomProgram(seed).trace();
    if (!NaiveChecker::can_read(trace)) continue;
    const NaiveChecker naive(trace);
    if (!naive.is_possible()) continue;
    ++compared_programs;
    const OrderRelation order(trace);
    const std::vector<Finding> findings = check(trace, order);
    const std::string other_order = difference_of_order(trace, order, naive);
    const std::set<NaiveFinding> expected = naive.conflicts();
    if (other_order.empty() && compared(findings) == expected) {
      found += expected.size();
      if (expected.empty()) ++clean;
      continue;
    }
    INFO("seed " << seed << ": MILLRACE_CHECK_PROGRAMS ends there");
    CHECK(other_order.empty());
    INFO("order: the naive checker says " << other_order);
    REQUIRE(say(compared(findings)) == say(expected));
    FAIL("the orders differ");
  }
  // Both kinds of program were there.
  CHECK(compared_programs > last * 8 / 10);
  CHECK(found > last);
  CHECK(clean > last / 100);
}

}  // namespace millrace::test
