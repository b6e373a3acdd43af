// SPDX-License-Identifier: Apache-2.0
#include <millrace/script.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace millrace;

namespace {

sim::ScriptReport run_text(const std::string& text) { return sim::run(Script::parse(text)); }

}  // namespace

TEST_CASE("a script's threads, signals and host computing take place in virtual time") {
  const sim::ScriptReport result = run_text(R"(
stream s
thread worker {
  host: await go
  s: kernel work for 10us
  host: raise done
}
host: work 5us; raise go; await done; sync s
host: join worker
expect clean
expect start work = 5us
expect end = 15us
)");
  CHECK(result.verdict.differences.empty());
  CHECK(result.verdict.ok);
  CHECK(result.report.end_time == Time{15'000});
}

TEST_CASE("raises are counted, and matched with awaits in order") {
  const sim::ScriptReport result = run_text(R"(
thread a {
  host: await go; await go
}
host: raise go; raise go; raise go; await go; join a
expect clean
)");
  CHECK(result.verdict.ok);
}

TEST_CASE("simulated devices do all that the language can say") {
  const sim::ScriptReport result = run_text(R"(
device ideal
gpus 2
buffer A B 4KiB
buffer P 4KiB pinned
buffer H 4KiB pageable
buffer M 4KiB managed
buffer C 4KiB on 1
stream s t
stream b blocking priority -1
stream d nonblocking on 1
event e
event e1 e2 timing blocking
event shared interprocess
event x
flag f
s: copy P -> A; kernel k reads A writes B for 5us blocks 2 threads 64; fill A[0..1KiB] for 1us
s: copy A -> C 1KiB for 2us; call c reads P for 1us; record e1; record e2
d: wait e2; kernel there updates C
host: sync s; sync d
legacy: copy A -> P sync; fill A sync
perthread: kernel mine
b: kernel last reads P
s: alloc X 1KiB; kernel use updates X; free X
t: await f >= 2
s: set f = 2
t: await f == 2; await f & 2; record shared
t: wait shared
s: begin relaxed; alloc Y 1KiB; kernel node updates Y; free Y; record x external; end G
host: sync t; sync s
s: launch G; launch G
host: sync s; sync x; sync device; query s; poll e
host: elapsed e1 e2; read P; write P,M[0..64]; work 3us
host: malloc Q 1KiB managed; free Q; malloc R 64; free R
thread w {
  host: device 1; await go
  legacy: kernel far updates C
  host: sync legacy; raise back
}
host: raise go; await back; join w
repeat 2 {
  s: kernel again updates A
}
if query d {
  host: work 1us
} else {
  host: work 2us
}
host: sync device; destroy G; destroy e; destroy t
host: device 1
d: fault IllegalAddress
host: sync d
expect error IllegalAddress
host: reset
expect clean
expect k before there
expect again#1 before again#2
)");
  CHECK(result.verdict.unsupported.empty());
  CHECK(result.verdict.differences.empty());
  CHECK(result.verdict.ok);
}

TEST_CASE("a graph's memory in a script is freed before the next launch") {
  const sim::ScriptReport result = run_text(R"(
stream s
s: begin
s: alloc X 64
s: kernel node updates X
s: end G
s: launch G
s: launch G
expect error InvalidValue
s: free X
s: launch G
s: free X
host: sync s
expect clean
)");
  CHECK(result.verdict.differences.empty());
  CHECK(result.verdict.ok);
}

TEST_CASE("what a script frees twice, or in stream order though it is no device's, is an error") {
  const sim::ScriptReport result = run_text(R"(
stream s
host: malloc plain 64
s: free plain
s: free plain
expect error InvalidValue
host: free plain
expect error InvalidValue
host: malloc pageable_one 64 pageable
s: free pageable_one
expect error InvalidValue
host: malloc managed_one 64 managed
s: free managed_one
expect error NotSupported
)");
  CHECK(result.verdict.differences.empty());
  CHECK(result.verdict.ok);
}

TEST_CASE("a script that deadlocks is judged by what went wrong before it, too") {
  const sim::ScriptReport expected = run_text(R"(
host: await never
expect deadlock
)");
  CHECK(expected.verdict.ok);
  const sim::ScriptReport wrong = run_text(R"(
stream s
s: kernel k
expect ready s
host: await never
expect deadlock
)");
  CHECK_FALSE(wrong.verdict.ok);
}

TEST_CASE("a script asks for its devices, options for another profile") {
  const sim::ScriptReport result = run_text(R"(
gpus 2
buffer A 1KiB on 1
stream s on 1
s: kernel k writes A
expect clean
)");
  CHECK(result.verdict.ok);
  CHECK(result.report.trace.devices.size() == 2);
  CHECK_THROWS_AS(sim::run(Script::parse("expect clean"), {.profile = "no such"}), Error);
}
