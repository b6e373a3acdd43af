// SPDX-License-Identifier: Apache-2.0
#include "found.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace millrace::test {
namespace {

using Catch::Matchers::ContainsSubstring;

struct Two : TraceBuilder {
  TraceIndex s1 = stream("s1");
  TraceIndex s2 = stream("s2");
  TraceIndex a = buffer("A", 64U << 20U);
  TraceIndex pinned = buffer("pinned", 1024, MemoryKind::pinned);
  TraceIndex ready = event("ready");
};

Finding only(const TraceBuilder& builder) {
  const auto findings = check(builder.build());
  REQUIRE(findings.size() == 1);
  return findings.front();
}

}  // namespace

TEST_CASE("a finding reads like this") {
  Two b;
  b.at(8).kernel(b.s1, "fill").writes(b.a);
  b.at(11).kernel(b.s2, "use").reads(b.a);
  CHECK(describe(only(b)) ==
        "race on A, bytes 0B to 64MiB\n"
        "  first:  fill on stream s1, writes A, enqueued by thread main at test.mill:8\n"
        "  second: use on stream s2, reads A, enqueued by thread main at test.mill:11\n"
        "  why:    Nothing makes use on s2 wait for fill on s1. Their orders part where thread "
        "main enqueues fill (line 8) and goes on.\n"
        "  fix:    record an event on s1 after fill (line 8) and let s2 wait for it before use "
        "(line 11); in this run use would come 10us later\n");
}

TEST_CASE("a stream without a name is called by its number, once") {
  Two b;
  const TraceIndex unnamed = b.stream("");
  b.kernel(b.s1, "fill").writes(b.a);
  b.kernel(unnamed, "use").reads(b.a);
  CHECK_THAT(describe(only(b)), ContainsSubstring("second: use on stream 2, reads A"));
}

TEST_CASE("an event that is recorded but not waited for is the cheapest edge") {
  Two b;
  b.kernel(b.s1, "fill").writes(b.a);
  b.at(7).record(b.s1, b.ready);
  b.kernel(b.s2, "use").reads(b.a);
  CHECK_THAT(only(b).fix, ContainsSubstring("let s2 wait for ready, which is recorded after fill "
                                            "(line 7), before use (line 8)"));
}

TEST_CASE("an event that was recorded again meanwhile is not") {
  Two b;
  b.kernel(b.s1, "fill").writes(b.a);
  b.record(b.s1, b.ready);
  b.record(b.s2, b.ready);
  b.kernel(b.s2, "use").reads(b.a);
  CHECK_THAT(only(b).fix, ContainsSubstring("record an event on s1 after fill"));
}

TEST_CASE("a wait that is bound to an earlier record is named") {
  Two b;
  b.at(4).record(b.s1, b.ready);
  b.kernel(b.s1, "fill").writes(b.a);
  b.at(6).wait(b.s2, b.ready);
  b.kernel(b.s2, "use").reads(b.a);
  CHECK_THAT(only(b).explanation,
             ContainsSubstring("the wait for ready (line 6) is bound to the record at line 4, "
                               "which comes before fill"));
}

TEST_CASE("the last step that comes before both is named") {
  Two b;
  b.at(3).kernel(b.s1, "prepare");
  b.record(b.s1, b.ready);
  b.wait(b.s2, b.ready);
  b.kernel(b.s2, "use").reads(b.a);
  const auto other = b.start_thread("other");
  b.on(other).kernel(b.s1, "fill").writes(b.a);
  CHECK_THAT(only(b).explanation, ContainsSubstring("Their orders part after "));
}

TEST_CASE("a host access is cured by a synchronization before it") {
  Two b;
  b.copy(b.s1, b.a, b.pinned);
  b.at(9).query_stream(b.s1, false);
  b.read(b.pinned);
  const Finding finding = only(b);
  CHECK_THAT(finding.explanation,
             ContainsSubstring("The host does not wait for copy on s1 before the read at line 10: "
                               "the query stream at line 9 answered that it was not ready"));
  CHECK_THAT(finding.fix, ContainsSubstring("synchronize s1") &&
                              ContainsSubstring("before the read at line 10; in this run the read "
                                                "at line 10 would come 10us later"));
}

TEST_CASE("a pageable source is cured by pinned memory") {
  TraceBuilder b;
  const auto s = b.stream("s");
  const auto h = b.buffer("numbers", 64, MemoryKind::pageable);
  b.host_function(s, "make").access(b.all(h, AccessMode::write));
  b.copy(s, h, b.buffer("A", 64));
  const Finding finding = only(b);
  CHECK_THAT(finding.explanation, ContainsSubstring("may read its pageable source from its call"));
  CHECK_THAT(finding.fix, ContainsSubstring("allocate numbers as pinned memory"));
}

TEST_CASE("a non-blocking stream beside the legacy one says so") {
  Two b;
  b.kernel(b.legacy(), "fill").writes(b.a);
  b.kernel(b.s1, "use").reads(b.a);
  CHECK_THAT(only(b).explanation, ContainsSubstring("s1 is a non-blocking stream"));
}

TEST_CASE("a plain free says what it does not do") {
  Two b;
  const auto x = b.malloc("x");
  b.kernel(b.s1, "use").reads(x);
  b.host_free(x);
  const Finding finding = only(b);
  CHECK_THAT(finding.explanation, ContainsSubstring("A plain free waits for nothing by contract"));
  CHECK_THAT(finding.fix, ContainsSubstring("synchronize s1"));
}

TEST_CASE("a free is cured on the stream of the last use") {
  Two b;
  const auto x = b.alloc(b.s1, "x");
  b.record(b.s1, b.ready);
  b.wait(b.s2, b.ready);
  b.kernel(b.s2, "use").reads(x);
  b.free(b.s1, x);
  CHECK_THAT(only(b).fix, ContainsSubstring("free it on s2, the stream of that use, or record an "
                                            "event on s2 after use"));
}

TEST_CASE("host threads without an order need a signal besides the event") {
  Two b;
  const auto other = b.start_thread("other");
  b.kernel(b.s1, "fill").writes(b.a);
  b.on(other).kernel(b.s2, "use").reads(b.a);
  CHECK_THAT(only(b).fix, ContainsSubstring("with a signal from thread main to thread other"));
}

TEST_CASE("several of one name are told apart by their number") {
  Two b;
  b.kernel(b.s1, "step");
  b.kernel(b.s1, "step").writes(b.a);
  b.kernel(b.s2, "use").reads(b.a);
  CHECK_THAT(only(b).explanation, ContainsSubstring("wait for step#2 on s1"));
}

}  // namespace millrace::test
