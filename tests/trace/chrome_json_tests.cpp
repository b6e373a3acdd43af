// SPDX-License-Identifier: Apache-2.0
#include "bytes.hpp"
#include "rich_trace.hpp"

#include <millrace/trace_file.hpp>

#include <catch2/catch_test_macros.hpp>

#include <sstream>
#include <string>

using namespace millrace;

namespace {

std::string chrome_json(const Trace& trace) {
  std::ostringstream out;
  write_chrome_json(trace, out);
  return out.str();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("The Chrome JSON of a trace stays what it is") {
  CHECK(test::is_golden("example.json", chrome_json(test::example_trace())));
  CHECK(test::is_golden("rich.json", chrome_json(test::rich_trace())));
}

TEST_CASE("The empty trace is valid Chrome JSON") {
  const std::string text = chrome_json(Trace{});
  CHECK(contains(text, "\"traceEvents\":["));
  CHECK(contains(text, "\"name\":\"process_name\""));
}

TEST_CASE("An operation says why it started when it did, and where it was launched") {
  const std::string text = chrome_json(test::example_trace());
  CHECK(contains(text,
                 "\"name\":\"fill\",\"args\":{\"operation\":1,\"kind\":\"kernel\","
                 "\"because\":\"stream order: copy1\",\"source\":\"example.cpp:2\"}"));
  CHECK(contains(text, "\"because\":\"record wait: record ready\""));
  CHECK(contains(text, "\"name\":\"blocked by record wait: record ready\""));
}

TEST_CASE("An operation that was drawn longer than it took says its true times") {
  CHECK(contains(chrome_json(test::example_trace()), "\"start_ns\":30000,\"end_ns\":30000"));
}

TEST_CASE("An inferred dependency is told from an exact one") {
  Trace trace = test::example_trace();
  trace.dependencies[0].state = DependencyState::inferred;
  CHECK(contains(chrome_json(trace), "\"cat\":\"wait,inferred\",\"name\":\"record wait\""));
}

TEST_CASE("A failed call names its error") {
  CHECK(contains(chrome_json(test::rich_trace()), "\"error\":\"InvalidResourceHandle\""));
}
