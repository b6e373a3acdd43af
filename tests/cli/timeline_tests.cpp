// SPDX-License-Identifier: Apache-2.0
#include "golden.hpp"
#include "render/timeline.hpp"
#include "run_text.hpp"
#include "support/example_trace.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

using namespace millrace;
using millrace::cli::Look;
using millrace::cli::render_timeline;
using millrace::test::golden;
using millrace::test::plain;
using millrace::test::traced;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::ptrdiff_t lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

/// A kernel of 1us on each of so many streams, one after the other.
Trace many_streams(int n) {
  std::string text = "stream";
  for (int i = 0; i < n; ++i) text += " s" + std::to_string(i);
  for (int i = 0; i < n; ++i) text += "\ns" + std::to_string(i) + ": kernel k for 1us";
  return traced(text);
}

}  // namespace

TEST_CASE("The timeline of two streams and a host thread that waits") {
  const std::string text = render_timeline(test::example_trace(), {}, plain);
  CHECK(text == golden("timeline-example", text));
}

TEST_CASE("The timeline of the copy/compute/copy pipeline") {
  const Trace trace = traced(test::file_text("tests/cases/pipeline.mill"));
  const std::string text = render_timeline(trace, {}, plain);
  CHECK(text == golden("timeline-pipeline", text));
  Look look = plain;
  look.ascii = true;
  look.width = 72;
  const std::string ascii = render_timeline(trace, {}, look);
  CHECK(ascii == golden("timeline-pipeline-ascii", ascii));
  look = plain;
  look.colour = true;
  const std::string coloured = render_timeline(trace, {}, look);
  CHECK(coloured == golden("timeline-pipeline-colour", coloured));
}

TEST_CASE("The timeline of a deadlock shows what waits for ever") {
  const Trace trace = traced(test::file_text("tests/cases/DL02-both-send-first.mill"));
  const std::string text = render_timeline(trace, {}, plain);
  CHECK(text == golden("timeline-deadlock", text));
}

TEST_CASE("Many operations in a column become a bar as high as the column was busy") {
  const std::string text = render_timeline(
      traced("stream s\nrepeat 2000 {\n  s: kernel k for 1us\n  host: sync s; work 1us\n}"), {},
      plain);
  CHECK(contains(text, "▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄"));
  CHECK(contains(text, "several operations, as high as busy"));
  CHECK(lines(text) < 12);
}

TEST_CASE("Many streams become a line that counts them, unless all are asked for") {
  const Trace trace = many_streams(69);
  const std::string text = render_timeline(trace, {}, plain);
  CHECK(contains(text, "and 37 more streams (--all shows them)"));
  CHECK(lines(text) < 40);
  Look look = plain;
  look.all = true;
  CHECK(contains(render_timeline(trace, {}, look), "  s68 "));
}

TEST_CASE("No line is wider than asked for") {
  const Trace trace = traced(test::file_text("tests/cases/pipeline.mill"));
  for (const int width : {40, 41, 53, 80, 120, 333}) {
    Look look = plain;
    look.ascii = true;
    look.width = width;
    const std::string text = render_timeline(trace, {}, look);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      CHECK(end - begin <= static_cast<std::size_t>(width));
      begin = end + 1;
    }
  }
}

TEST_CASE("A run in which nothing happens has a timeline") {
  CHECK_FALSE(render_timeline(Trace{}, {}, plain).empty());
  CHECK_FALSE(render_timeline(traced("stream s"), {}, plain).empty());
}

TEST_CASE("A stream's row tells what is not ordinary about it") {
  const std::string text =
      render_timeline(traced("gpus 2\nstream fast priority -3 on 1\nstream old blocking\n"
                             "fast: kernel a\nold: kernel b\nlegacy: kernel c"),
                      {}, plain);
  CHECK(contains(text, "fast (priority -3)"));
  CHECK(contains(text, "old (blocking)"));
  CHECK(contains(text, "\nsim:0\n"));
  CHECK(contains(text, "\nsim:1\n"));
}

TEST_CASE("A kernel that fails and what it takes along are seen") {
  const std::string text = render_timeline(
      traced("stream s\ns: kernel a for 5us\ns: fault IllegalAddress\ns: kernel never"), {}, plain);
  CHECK(contains(text, "✗"));
}

TEST_CASE("On demand the timeline shows copy engines, hardware queues and multiprocessors") {
  const std::string script =
      "device h200\nstream s t\nbuffer d 4MiB\nbuffer p 4MiB pinned\n"
      "s: kernel half for 100us blocks 132 threads 1024\n"
      "s: kernel next for 50us blocks 264 threads 1024\n"
      "t: copy p -> d\nt: kernel third for 40us";
  const Trace trace = traced(script);
  CHECK_FALSE(contains(render_timeline(trace, {}, plain), "copy engine"));
  Look look = plain;
  look.engines = look.queues = look.sms = true;
  const std::string text = render_timeline(trace, {}, look);
  CHECK(text == golden("timeline-resources", text));
  look.engines = look.queues = false;
  const std::string sms = render_timeline(trace, {}, look);
  CHECK(contains(sms, "multiprocessors, at most 100%"));
  CHECK_FALSE(contains(sms, "hardware queue"));
}

TEST_CASE("Where operations do not compete, the rows asked for say so") {
  Look look = plain;
  look.sms = true;
  CHECK(contains(render_timeline(traced("stream s\ns: kernel k"), {}, look),
                 "here nothing competes"));
}
