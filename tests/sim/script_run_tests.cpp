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
