// SPDX-License-Identifier: Apache-2.0
#include "render/reason.hpp"
#include "run_text.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>

using namespace millrace;

namespace {

/// Why the operation of that name in that script started when it did.
std::string why(std::string_view script, std::string_view operation) {
  const Trace trace = test::traced(script);
  const cli::Words words(trace);
  return cli::Reasons(words).why(trace.find_operation(operation));
}

}  // namespace

TEST_CASE("What nothing held up started when it was enqueued") {
  CHECK(why("stream s\ns: kernel a", "a") == "enqueue by main (line 2)");
  CHECK(why("stream s\nhost: work 3us\ns: kernel a", "a") ==
        "enqueue by main, after work (line 2)");
  CHECK(why("stream s t\ns: kernel a\nhost: sync s\nt: kernel b", "b") ==
        "enqueue by main, after sync s (line 3)");
  CHECK(why("stream s t\nevent e\ns: kernel a; record e\nhost: poll e\nt: kernel b", "b") ==
        "enqueue by main, after polling: query e (line 4)");
}

TEST_CASE("The operation before it in its stream is named") {
  CHECK(why("stream s\ns: kernel a\ns: kernel b", "b") == "a (line 2) before it in s");
}

TEST_CASE("Records and waits that took no time pass on what they waited for") {
  CHECK(why("stream s\nevent e\ns: kernel a\ns: record e\ns: kernel b", "b") ==
        "a (line 3) before it in s");
  CHECK(why("stream s t\nevent e\ns: kernel a\ns: record e\nt: wait e\nt: kernel b", "b") ==
        "event e, recorded after a in s (line 3)");
  CHECK(why("stream s t u\nevent e f\ns: kernel a; record e\nt: wait e; record f\nu: wait f\n"
            "u: kernel b",
            "b") ==
        "event f, recorded in t (line 4) after event e, recorded after a in s (line 3)");
}

TEST_CASE("The legacy stream's barriers are told from both sides") {
  CHECK(why("stream s blocking\nlegacy: kernel a\ns: kernel b", "b") ==
        "a in legacy (line 2): blocking streams wait for the legacy stream");
  CHECK(why("stream s blocking\ns: kernel a\nlegacy: kernel b", "b") ==
        "a in s (line 2): the legacy stream waits for blocking streams");
}

TEST_CASE("Host functions run one at a time") {
  CHECK(why("stream s t\ns: call a\nt: call b", "b") ==
        "the host functions' server: a in s (line 2) ran");
}

TEST_CASE("A flag names who set it") {
  CHECK(why("stream s t\nflag f\nt: await f >= 1\nt: kernel b\ns: kernel a\ns: set f = 1", "b") ==
        "flag f, set in s (line 6)");
}

TEST_CASE("What never ran says what it waits for") {
  constexpr std::string_view script = "stream s\nflag f\ns: await f >= 1\ns: kernel b";
  CHECK(why(script, "b") == "never ran: behind await flag f (line 3)");
  const Trace trace = test::traced(script);
  const cli::Words words(trace);
  CHECK(cli::Reasons(words).why(0) == "never ran: flag f never got its value");
}
