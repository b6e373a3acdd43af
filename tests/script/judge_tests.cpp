// SPDX-License-Identifier: Apache-2.0
#include "../support/trace_builder.hpp"

#include <millrace/script.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace millrace::test {
namespace {

using Differences = std::vector<std::string>;

/// Five lines that name what the traces below show.
constexpr std::string_view program =
    "buffer A B 1KiB; stream s1 s2\n"
    "event e1 e2 timing\n"
    "s1: kernel fill writes A; record e1; wait e1\n"
    "s2: kernel use reads A for 20us; record e2\n"
    "host: read A; write A; destroy e1\n";

Differences judged(const Trace& trace, std::string_view expectations, JudgeOptions options = {}) {
  const Script script = Script::parse(std::string(program) + std::string(expectations));
  const Verdict verdict = judge(script, ScriptRun{}, trace, options);
  CHECK(verdict.ok == verdict.differences.empty());
  CHECK(verdict.unsupported.empty());
  return verdict.differences;
}
bool holds(const Trace& trace, std::string_view expectations) {
  const Differences differences = judged(trace, expectations);
  for (const std::string& difference : differences) UNSCOPED_INFO(difference);
  return differences.empty();
}

/// fill on s1 writes A, use on s2 reads it: ordered by an event or not.
struct Program {
  TraceBuilder builder;
  TraceIndex s1 = builder.stream("s1");
  TraceIndex s2 = builder.stream("s2");
  TraceIndex e1 = builder.event("e1");
  TraceIndex e2 = builder.event("e2");
  TraceIndex a = builder.buffer("A");

  TraceIndex fill() { return builder.kernel(s1, "fill").writes(a); }
  TraceIndex use() { return builder.kernel(s2, "use").reads(a).lasting(20'000); }
};

Trace racy() {
  Program p;
  p.fill();
  p.use();
  return p.builder.build();
}

Trace ordered() {
  Program p;
  p.fill();
  p.builder.record(p.s1, p.e1);
  p.builder.wait(p.s2, p.e1);
  p.use();
  p.builder.record(p.s2, p.e2);
  return p.builder.build();
}

}  // namespace

TEST_CASE("A clean run is what a script expects that expects nothing") {
  CHECK(holds(ordered(), ""));
  CHECK(holds(ordered(), "expect clean"));
  const Differences differences = judged(racy(), "");
  REQUIRE(differences.size() == 1);
  CHECK(
      differences[0].starts_with("unexpected race on A between fill (line 1) and use (line 2): "));
}

TEST_CASE("A finding must be expected and an expected one found") {
  CHECK(holds(racy(), "expect race A"));
  CHECK(holds(racy(), "expect race A; expect race A between use fill"));
  CHECK(judged(ordered(), "expect race A") ==
        Differences{"line 6: expected a race on A, but none was found"});
  CHECK(judged(ordered(),
               "expect deadlock; expect use-after-free A\n"
               "expect use-after-destroy e1; expect unrecorded-wait e2") ==
        Differences{"line 6: expected a deadlock, but none was found",
                    "line 6: expected a use-after-free of A, but none was found",
                    "line 7: expected a use-after-destroy of e1, but none was found",
                    "line 7: expected an unrecorded-wait of e2, but none was found"});
  CHECK(judged(racy(), "expect race B").size() == 2);
}

TEST_CASE("A race between operations is that of these operations, in either order") {
  CHECK(holds(racy(), "expect race A between fill use"));
  CHECK(holds(racy(), "expect race A between use#1 fill#1"));
  CHECK(judged(ordered(), "expect race A between fill use") ==
        Differences{"line 6: expected a race on A between fill and use, but none was found: fill "
                    "ends before use starts"});
  CHECK(judged(racy(), "expect race A between fill read") ==
        Differences{"line 6: expected a race on A between fill and read, but the race that was "
                    "found is between fill (line 1) and use (line 2)"});
}

TEST_CASE("A repeated name means its last instance") {
  Program p;
  p.fill();
  p.use();
  p.builder.sync_device();
  p.fill();
  p.builder.record(p.s1, p.e1);
  p.builder.wait(p.s2, p.e1);
  p.use();
  const Trace trace = p.builder.build();
  CHECK(holds(trace, "expect race A between fill#1 use#1"));
  CHECK(judged(trace, "expect race A between fill use") ==
        Differences{"line 6: expected a race on A between fill and use, but the race that was "
                    "found is between fill#1 (line 1) and use#1 (line 2)"});
}

TEST_CASE("Of three writers each pair races, whichever of them is shown") {
  Program p;
  p.fill();
  p.use();
  const TraceIndex s3 = p.builder.stream("s3");
  p.builder.kernel(s3, "late").writes(p.a);
  const Trace trace = p.builder.build();
  for (const char* pair : {"fill use", "fill late", "late use"}) {
    CHECK(holds(trace, "stream s3; s3: kernel late\nexpect race A between " + std::string(pair)));
  }
}

TEST_CASE("Host accesses are called read and write") {
  Program p;
  const TraceIndex h = p.builder.buffer("B", 1024, MemoryKind::pinned);
  p.builder.kernel(p.s1, "fill").writes(h);
  p.builder.read(h);
  CHECK(holds(p.builder.build(), "expect race B between read fill"));
  CHECK(!holds(p.builder.build(), "expect race B between write fill"));
}

TEST_CASE("Other findings are known by their kind and object") {
  Program p;
  p.builder.wait(p.s1, p.e2);
  p.builder.destroy_event(p.e1);
  p.builder.use_destroyed(CallKind::wait, ObjectKind::event, p.e1);
  p.fill();
  p.builder.host_free(p.a);
  CHECK(holds(p.builder.build(),
              "expect unrecorded-wait e2; expect use-after-destroy e1; expect use-after-free A"));
  CHECK(judged(p.builder.build(), "").size() == 3);
}

TEST_CASE("A deadlock is one finding without an object") {
  Program p;
  const TraceIndex signal = p.builder.signal("go");
  p.builder.never_returns(p.builder.await(signal), ObjectKind::signal, signal);
  CHECK(holds(p.builder.build(), "expect deadlock"));
  const Differences differences = judged(p.builder.build(), "expect clean");
  REQUIRE(differences.size() == 1);
  CHECK(differences[0].starts_with("unexpected deadlock"));
}

TEST_CASE("Expecting both a finding and none is told apart") {
  CHECK(judged(racy(), "expect race A\nexpect clean") ==
        Differences{"line 7: expected clean, but line 6 expects a finding"});
}

TEST_CASE("Order is what holds in every legal run") {
  CHECK(holds(ordered(), "expect fill before use"));
  CHECK(holds(racy(), "expect fill unordered use; expect race A"));
  CHECK(judged(ordered(), "expect use before fill") ==
        Differences{"line 6: expected use before fill, but fill ends before use starts"});
  CHECK(judged(ordered(), "expect use unordered fill") ==
        Differences{"line 6: expected use unordered fill, but fill ends before use starts in every "
                    "legal run"});
  CHECK(judged(racy(), "expect race A; expect fill before use") ==
        Differences{"line 6: expected fill before use, but nothing orders them: another legal run "
                    "may start use before fill ends"});
}

TEST_CASE("What is not in the run is said to be missing") {
  Program p;
  p.fill();
  CHECK(judged(p.builder.build(),
               "expect fill before use\nexpect fill#2 unordered fill#1\n"
               "expect start use = 0us; expect finish fill#3 = 0us") ==
        Differences{"line 6: expected fill before use, but use is not in this run",
                    "line 7: expected fill#2 unordered fill#1, but this run has fill only once",
                    "line 8: expected use to start at 0ns, but use is not in this run",
                    "line 8: expected fill#3 to finish at 0ns, but this run has fill only once"});
}

TEST_CASE("Overlap is that of this run") {
  CHECK(holds(racy(), "expect race A; expect fill overlaps use"));
  CHECK(judged(ordered(), "expect use overlaps fill") ==
        Differences{"line 6: expected use overlaps fill, but use runs from 10us to 30us, fill runs "
                    "from 0ns to 10us"});
}

TEST_CASE("Times are the simulated ones") {
  CHECK(holds(ordered(),
              "expect start fill = 0us; expect finish fill = 10us; expect start use = 10us\n"
              "expect finish use = 30us; expect end = 30us"));
  CHECK(judged(ordered(), "expect start use = 9us; expect finish use = 29us; expect end = 1s") ==
        Differences{"line 6: expected use to start at 9us, but it starts at 10us",
                    "line 6: expected use to finish at 29us, but it finishes at 30us",
                    "line 6: expected the end at 1s, but all work is done at 30us"});
}

TEST_CASE("Elapsed time is that between the last records, to the resolution of the clock") {
  CHECK(holds(ordered(), "expect elapsed e1 e2 = 20us; expect elapsed e2 e1 = -20us"));
  CHECK(holds(ordered(), "expect elapsed e1 e2 = 20.032us; expect elapsed e1 e2 = 19.968us"));
  CHECK(judged(ordered(), "expect elapsed e1 e2 = 20.033us") ==
        Differences{"line 6: expected 20.033us from e1 to e2, but it is 20us"});
  CHECK(judged(racy(), "expect race A; expect elapsed e1 e2 = 0us") ==
        Differences{"line 6: expected 0ns from e1 to e2, but e1 was never reached"});
  CHECK(!holds(ordered(), "expect elapsed e1 e2 = -9223372036.854775807s"));
}

TEST_CASE("Where times are real they are not judged") {
  CHECK(judged(ordered(),
               "expect start use = 9us; expect end = 1s; expect use overlaps fill\n"
               "expect elapsed e1 e2 = 1s; expect use before fill",
               {.times = false})
            .size() == 1);
}

TEST_CASE("What went wrong in place comes first, and alone when it ended the script") {
  const Script script = Script::parse("stream s\nhost: sync s\nexpect deadlock\n");
  ScriptRun run;
  run.failures.push_back({2, "host: sync s fails"});
  CHECK(
      judge(script, run, Trace{}).differences ==
      Differences{"line 2: host: sync s fails", "line 3: expected a deadlock, but none was found"});
  run.stopped = true;
  CHECK(judge(script, run, Trace{}).differences == Differences{"line 2: host: sync s fails"});
}

TEST_CASE("What the backend lacks is no verdict") {
  ScriptRun run;
  run.unsupported = "line 2: s: begin: no";
  const Verdict verdict = judge(Script::parse("stream s\ns: begin\n"), run, Trace{});
  CHECK(!verdict.ok);
  CHECK(verdict.differences.empty());
  CHECK(verdict.unsupported == "line 2: s: begin: no");
}

}  // namespace millrace::test
