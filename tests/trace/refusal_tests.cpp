// SPDX-License-Identifier: Apache-2.0
#include "rich_trace.hpp"

#include <millrace/trace_file.hpp>

#include <catch2/catch_test_macros.hpp>

#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>

using namespace millrace;

namespace {

/// What writing the trace says after such a change; empty if it is content.
std::string refusal(const std::function<void(Trace&)>& change) {
  Trace trace = test::rich_trace();
  change(trace);
  std::ostringstream out;
  try {
    write_trace(trace, out);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

constexpr const char* prefix = "the trace cannot be written: ";

}  // namespace

TEST_CASE("An index outside of its table is refused") {
  CHECK(refusal([](Trace& t) { t.operations[1].stream = 9; }) ==
        std::string(prefix) +
            "operations row 1: stream refers to number 9 of the streams, but there are 2");
  CHECK(refusal([](Trace& t) { t.operations[1].stream = none; }) ==
        std::string(prefix) +
            "operations row 1: stream refers to nothing, and must refer to one of the streams");
  CHECK(refusal([](Trace& t) { t.calls[0].operation = 3; }) ==
        std::string(prefix) +
            "calls row 0: operation refers to number 3 of the operations, but there are 3");
  CHECK(refusal([](Trace& t) { t.dependencies[0].from = Step::call(50); }) ==
        std::string(prefix) +
            "dependencies row 0: from refers to number 50 of the calls, but there are 5");
}

TEST_CASE("An object must exist among those of its kind") {
  CHECK_FALSE(refusal([](Trace& t) { t.operations[1].object = 2; }).empty());  // an event
  CHECK_FALSE(refusal([](Trace& t) { t.operations[2].object = 1; }).empty());  // a flag
  CHECK_FALSE(refusal([](Trace& t) { t.calls[4].object = 1; }).empty());       // a signal
  CHECK_FALSE(refusal([](Trace& t) { t.calls[4].object_kind = ObjectKind::nothing; }).empty());
  CHECK_FALSE(refusal([](Trace& t) { t.blocked[0].object = 1; }).empty());
  CHECK_FALSE(refusal([](Trace& t) { t.blocked[0].step = {}; }).empty());
}

TEST_CASE("A value outside of its enumeration is refused") {
  CHECK(refusal([](Trace& t) { t.calls[2].kind = static_cast<CallKind>(99); }) ==
        std::string(prefix) + "calls row 2: kind is 99, and must be from 0 to 37");
  CHECK_FALSE(refusal([](Trace& t) { t.accesses[0].order = static_cast<AccessOrder>(3); }).empty());
}

TEST_CASE("Times must make sense") {
  CHECK(refusal([](Trace& t) { t.operations[0].end_ns = 6; }) ==
        std::string(prefix) + "operations row 0: end_ns lies before the start");
  CHECK_FALSE(refusal([](Trace& t) { t.operations[0].start_ns = -1; }).empty());
  CHECK_FALSE(refusal([](Trace& t) { t.operations[0].start_ns = -2; }).empty());
  CHECK_FALSE(refusal([](Trace& t) { t.calls[0].end_ns = -6; }).empty());
  CHECK_FALSE(refusal([](Trace& t) { t.end_ns = std::int64_t{1} << 62; }).empty());
  CHECK(refusal([](Trace& t) { t.calls[4].end_ns = -6; }).empty());  // it never returned
}

TEST_CASE("Accesses must lie in their table") {
  CHECK(refusal([](Trace& t) { t.operations[0].access_count = 2; }) ==
        std::string(prefix) + "operations row 0: first_access begins accesses that do not exist");
  CHECK_FALSE(refusal([](Trace& t) { t.calls[3].first_access = 7; }).empty());
  CHECK_FALSE(refusal([](Trace& t) { t.accesses[0].memory = none; }).empty());
}

TEST_CASE("A dependency has two ends, unless it is unresolved") {
  CHECK_FALSE(refusal([](Trace& t) { t.dependencies[0].from = {}; }).empty());
  CHECK_FALSE(refusal([](Trace& t) { t.dependencies[0].to = {}; }).empty());
  CHECK(refusal([](Trace& t) { t.dependencies[1].to = {}; }).empty());
}

TEST_CASE("Every step has a sequence number of its own") {
  CHECK(refusal([](Trace& t) { t.calls[1].sequence = t.operations[0].sequence; }) ==
        std::string(prefix) + "calls row 1: sequence was taken by another step before");
  CHECK(refusal([](Trace& t) { t.calls[1].sequence = t.steps; }) ==
        std::string(prefix) +
            "calls row 1: sequence refers to number 6 of the steps, but there are 6");
  CHECK_FALSE(refusal([](Trace& t) { t.steps = 4'000'000'000; }).empty());
}

TEST_CASE("The first string is the empty one") {
  CHECK_FALSE(refusal([](Trace& t) { t.strings[0] = "x"; }).empty());
  std::ostringstream out;
  Trace trace;
  trace.strings.clear();
  CHECK_THROWS_AS(write_trace(trace, out), std::invalid_argument);
}
