// SPDX-License-Identifier: Apache-2.0
//
// Lints, allowed findings and baselines on the command line.
#include "process.hpp"

#include <millrace/trace.hpp>
#include <millrace/trace_file.hpp>

#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <sstream>
#include <string>

using millrace::test::Outcome;
using millrace::test::run_command;
using millrace::test::Scratch;

namespace {

const std::string racy =
    "buffer A B 4KiB\nstream s t\ns: kernel a writes A\nt: kernel b reads A\nhost: sync device\n";
const std::string racier = racy + "s: kernel c writes B\nt: kernel d writes B\nhost: sync device\n";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("check looks for lints when they are asked for") {
  const Scratch scratch;
  const std::string script = scratch.file("loose.mill", "stream s\ns: kernel work\n");
  CHECK(run_command({"check", script}).exit_code == 0);
  const Outcome one = run_command({"check", "--lint", "unjoined-work", script});
  CHECK(one.exit_code == 1);
  CHECK(contains(one.out, "unexpected unjoined-work of s by work (line 2)"));
  CHECK(run_command({"check", "--lint", "host-sync", script}).exit_code == 0);
  CHECK(run_command({"check", "--lint", "host-sync", "--lint=all", script}).exit_code == 1);
  const Outcome unknown = run_command({"check", "--lint", "races", script});
  CHECK(unknown.exit_code == 2);
  CHECK(contains(unknown.error, "'races' is no lint: all, redundant-wait, "));
}

TEST_CASE("a comment allows findings of a script") {
  const Scratch scratch;
  CHECK(run_command({"check", scratch.file("a.mill", racy)}).exit_code == 1);
  CHECK(run_command({"check", scratch.file("b.mill", "# allow race A\n" + racy)}).exit_code == 0);
}

TEST_CASE("a baseline lets only new findings fail") {
  const Scratch scratch;
  const std::string script = scratch.file("app.mill", racy);
  const std::string baseline = scratch.path("known.jsonl");
  const Outcome missing = run_command({"check", "--baseline", baseline, script});
  CHECK(missing.exit_code == 2);
  CHECK(contains(missing.error, "known.jsonl: cannot be read; --update-baseline writes it"));

  const Outcome written =
      run_command({"check", "--baseline", baseline, "--update-baseline", script});
  CHECK(written.exit_code == 0);
  CHECK(contains(written.error, "1 finding of these files in "));
  CHECK(text_of(baseline) == "{\"file\":\"" + script +
                                 "\",\"kind\":\"race\",\"object\":\"A\",\"first\":\"a\","
                                 "\"second\":\"b\"}\n");
  CHECK(run_command({"check", "--baseline", baseline, script}).exit_code == 0);

  CHECK(scratch.file("app.mill", "# a line more\n" + racier) == script);
  const Outcome more = run_command({"check", "--baseline", baseline, script});
  CHECK(more.exit_code == 1);
  CHECK(contains(more.out, "unexpected race on B"));
  CHECK_FALSE(contains(more.out, "race on A"));

  CHECK(scratch.file("app.mill", "stream s\ns: kernel a\n") == script);
  const Outcome gone = run_command({"check", "--baseline", baseline, script});
  CHECK(gone.exit_code == 0);
  CHECK(contains(gone.error, "1 finding of " + baseline + " is gone"));
}

TEST_CASE("a baseline keeps what it knows of scripts that were not checked") {
  const Scratch scratch;
  const std::string one = scratch.file("one.mill", racy);
  const std::string two = scratch.file("two.mill", racy);
  const std::string baseline = scratch.path("known.jsonl");
  CHECK(run_command({"check", "--baseline", baseline, "--update-baseline", one, two}).exit_code ==
        0);
  CHECK(scratch.file("two.mill", "stream s\ns: kernl a\n") == two);
  CHECK(run_command({"check", "--baseline", baseline, "--update-baseline", two}).exit_code == 2);
  CHECK(run_command({"check", "--baseline", baseline, one}).exit_code == 0);
  CHECK(scratch.file("two.mill", racy) == two);
  CHECK(run_command({"check", "--baseline", baseline, two}).exit_code == 0);
}

TEST_CASE("a file that is no baseline says so") {
  const Scratch scratch;
  const std::string script = scratch.file("app.mill", racy);
  const std::string baseline = scratch.file("known.jsonl", "{\"file\": \"x\"}\n");
  const Outcome outcome = run_command({"check", "--baseline", baseline, script});
  CHECK(outcome.exit_code == 2);
  CHECK(contains(outcome.error, "known.jsonl:1: expected a known finding"));
  CHECK(run_command({"check", "--update-baseline", script}).exit_code == 2);
}

TEST_CASE("of a trace without an order, info says that findings are unknown") {
  const Scratch scratch;
  millrace::Trace trace;
  trace.has_dependencies = false;
  const std::string file = scratch.path("imported.mtrace");
  millrace::write_trace(trace, file);
  CHECK(contains(run_command({"info", file}).out, "findings      unknown: "));
  CHECK(contains(run_command({"info", file, "--json"}).out, "\"findings\":null"));
}
