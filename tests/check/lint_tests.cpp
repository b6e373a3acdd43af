// SPDX-License-Identifier: Apache-2.0
//
// Lints, on whole runs: what each finds, and what it is silent about.
#include <millrace/millrace.hpp>
#include <millrace/script.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace millrace::test {
namespace {

using Lines = std::vector<std::string>;
const Lines nothing;

/// "redundant-wait e: record e, wait e" of a script's run, what is no lint left out.
Lines lints_in(const std::string& script, FindingKind lint) {
  JudgeOptions judging;
  judging.check.lints = {lint};
  const sim::ScriptReport run = sim::run(Script::parse(script), {.profile = ""}, judging);
  Lines lines;
  for (const Finding& finding : run.verdict.findings) {
    if (!is_lint(finding.kind)) continue;
    std::string line = std::string(to_string(finding.kind)) + " " + finding.object + ": " +
                       finding.first.operation;
    if (!finding.second.operation.empty()) line += ", " + finding.second.operation;
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("every lint has a name that leads back to it") {
  for (const FindingKind lint : all_lints) {
    CHECK(is_lint(lint));
    CHECK(finding_kind(to_string(lint)) == lint);
  }
  CHECK_FALSE(is_lint(FindingKind::deadlock));
  CHECK(finding_kind("race") == FindingKind::race);
  CHECK_FALSE(finding_kind("rase").has_value());
}

TEST_CASE("a wait for what the stream has waited for already is redundant") {
  const std::string head =
      "buffer A 1MiB\nbuffer B 1MiB\nstream s1 s2\nevent e f\n"
      "s1: kernel one writes A; record e; kernel two writes B; record f\n";
  const auto found = [&](const std::string& rest) {
    return lints_in(head + rest, FindingKind::redundant_wait);
  };
  CHECK(found("s2: wait f; wait e; kernel use reads A,B") ==
        Lines{"redundant-wait e: record e, wait e"});
  CHECK(found("s2: wait e; wait e; kernel use reads A") ==
        Lines{"redundant-wait e: record e, wait e"});
  CHECK(found("s1: wait e; kernel use reads A") == Lines{"redundant-wait e: record e, wait e"});
  CHECK(found("host: sync s1\ns2: wait f; kernel use reads A") ==
        Lines{"redundant-wait f: record f, wait f"});
  CHECK(found("s2: wait e; kernel use reads A; wait f; kernel use2 reads B") == nothing);
}

TEST_CASE("a synchronization between two streams could be an event") {
  const std::string head =
      "buffer A 1MiB\nbuffer h 1MiB pinned\nstream s1 s2\nevent e\n"
      "s1: kernel fill writes A\n";
  const auto found = [&](const std::string& rest) {
    return lints_in(head + rest, FindingKind::host_sync);
  };
  CHECK(found("host: sync s1\ns2: kernel use reads A\nhost: sync s2") ==
        Lines{"host-sync s1: fill, synchronize stream"});
  CHECK(found("host: sync device\ns2: kernel use reads A\nhost: sync device") ==
        Lines{"host-sync s1: fill, synchronize device"});
  SECTION("not where the host may use what it waited for") {
    CHECK(found("s1: copy A -> h\nhost: sync s1; read h\ns2: kernel use reads A\nhost: sync s2") ==
          nothing);
    CHECK(found("s1: call log\nhost: sync s1\ns2: kernel use reads A\nhost: sync s2") == nothing);
  }
  SECTION("nor where something else follows than work for streams") {
    CHECK(found("host: sync s1\nhost: work 5us\ns2: kernel use reads A\nhost: sync s2") == nothing);
    CHECK(found("host: sync s1\ns2: kernel use reads A") == nothing);
    CHECK(found("host: sync s1\ns2: copy h -> A\nhost: sync s2; sync s1") == nothing);
  }
}

TEST_CASE("a default stream between two that share nothing is a false dependency") {
  const auto found = [](const std::string& script) {
    return lints_in(script, FindingKind::false_dependency);
  };
  const std::string head = "buffer A 1MiB\nbuffer B 1MiB\nstream s1 blocking\n";
  CHECK(found(head + "legacy: kernel one writes A\ns1: kernel two writes B") ==
        Lines{"false-dependency s1: one, two"});
  CHECK(found(head + "legacy: kernel one writes A\ns1: kernel two reads A") == nothing);
  CHECK(
      found(head + "legacy: kernel one writes A\ns1: kernel two writes B; kernel three reads A") ==
      nothing);
  CHECK(found("buffer A 1MiB\nbuffer B 1MiB\nstream s1 nonblocking\n"
              "legacy: kernel one writes A\ns1: kernel two writes B") == nothing);
}

TEST_CASE("work that nobody has waited for at the end") {
  const auto found = [](const std::string& rest) {
    return lints_in("buffer A 1MiB\nstream s1 s2\nevent e\n" + rest, FindingKind::unjoined_work);
  };
  CHECK(found("s1: kernel one; kernel two\ns2: kernel three\nhost: sync s2") ==
        Lines{"unjoined-work s1: two"});
  CHECK(found("s1: kernel one; record e; kernel two\nhost: sync e") ==
        Lines{"unjoined-work s1: two"});
  CHECK(found("s1: kernel one\ns2: kernel two\nhost: sync device") == nothing);
  CHECK(found("s1: kernel one; record e\nhost: sync e") == nothing);
}

TEST_CASE("work of a capturing thread that runs at once") {
  const auto found = [](const std::string& rest) {
    return lints_in("buffer A 1MiB\nbuffer B 1MiB\nstream s1 s2\nevent e\n" + rest,
                    FindingKind::escaped_capture);
  };
  CHECK(found("s1: begin; kernel in writes A\nlegacy: kernel out writes B\ns1: end g; launch g") ==
        Lines{"escaped-capture legacy: begin capture, out"});
  CHECK(found("s1: begin; kernel in writes A; record e\ns2: wait e; kernel too writes B; record e\n"
              "s1: wait e; end g; launch g") == nothing);
  CHECK(found("s1: begin; kernel in writes A; end g\ns2: kernel out writes B") == nothing);
}

TEST_CASE("what only a wait that is not promised kept apart") {
  const auto found = [](const std::string& rest) {
    return lints_in("device h200\nstream s1\n" + rest, FindingKind::undocumented_wait);
  };
  CHECK(found("host: malloc T 1MiB; malloc U 1MiB\ns1: kernel fill writes T for 1ms\n"
              "host: free U; free T") == Lines{"undocumented-wait T: fill, host free"});
  CHECK(found("host: malloc T 1MiB\ns1: kernel fill writes T for 1ms\nhost: sync s1; free T") ==
        nothing);
}

TEST_CASE("lints are looked for only when they are asked for, and fail a script") {
  const Script script = Script::parse("stream s1\ns1: kernel work\nexpect clean\n");
  CHECK(sim::run(script).verdict.ok);
  JudgeOptions judging;
  judging.check.lints = {all_lints.begin(), all_lints.end()};
  const Verdict verdict = sim::run(script, {.profile = ""}, judging).verdict;
  CHECK_FALSE(verdict.ok);
  REQUIRE(verdict.differences.size() == 1);
  CHECK(verdict.differences[0].starts_with("unexpected unjoined-work of s1 by work (line 2): "));
}

TEST_CASE("a comment of its own line allows findings") {
  const std::string race =
      "buffer A 1MiB\nstream s1 s2\ns1: kernel a writes A\ns2: kernel b writes A\n";
  const auto ok = [&](const std::string& comment) {
    return sim::run(Script::parse(comment + "\n" + race)).verdict.ok;
  };
  CHECK(ok("# allow race A"));
  CHECK(ok("  #allow race A"));
  CHECK_FALSE(ok("# allow race B"));
  CHECK_FALSE(ok("# allow race"));
  CHECK_FALSE(ok("# allow race A for now"));
  CHECK_FALSE(ok("# allow use-after-free A"));
  CHECK(Script::parse("# allow race A\n" + race).to_text().starts_with("# allow race A\n"));
}

TEST_CASE("known findings fail nothing and are listed") {
  const Script script =
      Script::parse("buffer A 1MiB\nstream s1 s2\ns1: kernel a writes A\ns2: kernel b writes A\n");
  JudgeOptions judging;
  judging.is_known = [](const Finding& finding) { return finding.object == "A"; };
  const Verdict verdict = sim::run(script, {.profile = ""}, judging).verdict;
  CHECK(verdict.ok);
  REQUIRE(verdict.known.size() == 1);
  CHECK(verdict.known[0].kind == FindingKind::race);
  CHECK(verdict.findings.size() == 1);
}

}  // namespace millrace::test
