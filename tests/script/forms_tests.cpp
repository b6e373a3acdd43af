// SPDX-License-Identifier: Apache-2.0
#include "bad_scripts.hpp"

#include <millrace/script.hpp>

#include <catch2/catch_test_macros.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace millrace::test {
namespace {

/// The plain form of what stands behind the preamble.
std::string plain(std::string_view text) {
  const std::string all = Script::parse(std::string(preamble) + std::string(text)).to_text();
  CHECK(Script::parse(all).to_text() == all);
  REQUIRE(all.substr(0, preamble.size()) == preamble);
  return all.substr(preamble.size());
}

void check_same(std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) CHECK(plain(text) == std::string(text) + "\n");
}
void check_plain(std::initializer_list<std::pair<std::string_view, std::string_view>> forms) {
  for (const auto& [text, form] : forms) CHECK(plain(text) == std::string(form) + "\n");
}

}  // namespace

TEST_CASE("All declarations are read") {
  check_same({"device ideal", "device h200", "device ../my-gpu.profile",
              "device \"my gpu.profile\"", "device \":\"", "gpus 8", "buffer C 64MiB",
              "buffer C D 1B pinned", "buffer C 3GiB pageable on 1", "buffer C 0B managed",
              "stream s3", "stream s3 blocking", "stream s3 s4 blocking priority -5 on 1",
              "stream s3 priority 2", "event e3", "event e3 e4 timing blocking interprocess on 2",
              "flag f1 f2 f3"});
  check_plain({{"buffer C 1024", "buffer C 1KiB"},
               {"buffer C 1000", "buffer C 1KB"},
               {"buffer C 5MB", "buffer C 5MB"},
               {"buffer C 2GB device on 0", "buffer C 2GB"},
               {"buffer C 1025B on 1 pinned", "buffer C 1025B pinned on 1"},
               {"stream s3 nonblocking priority 0 on 0", "stream s3"},
               {"stream s3 on 1 blocking", "stream s3 blocking on 1"},
               {"event e3 interprocess timing", "event e3 timing interprocess"},
               {"device \"h200\"", "device h200"}});
}

TEST_CASE("What a script asks for before it runs is known") {
  const Script script = Script::parse("gpus 3; device \"a b.profile\"\n", "x.mill");
  CHECK(script.file() == "x.mill");
  CHECK(script.profile() == "a b.profile");
  CHECK(script.device_count() == 3);
  CHECK(Script::parse("").profile() == "ideal");
  CHECK(Script::parse("").device_count() == 1);
}

TEST_CASE("All operations of streams are read") {
  check_same({"s1: kernel k",
              "s1: kernel k reads A",
              "s1: kernel k reads A,B writes h updates A",
              "s1: kernel k reads A[0B..4KiB],B for 120us blocks 264 threads 1024",
              "s1: kernel k updates A[8B..1KiB pitch 64B width 16B]",
              "s1: kernel k updates A[8B.. pitch 64B width 64B]",
              "s1: kernel k writes A[64B..]",
              "s1: kernel k writes A[64B..64B]",
              "s1: kernel k for 0ns blocks 0 threads 4294967295",
              "s1: copy A -> B",
              "s1: copy h -> A[4KiB..] 4KiB for 1.5us",
              "legacy: copy h -> A for 5us sync",
              "perthread: copy A[0B..8B] -> h 1GiB sync",
              "s1: fill A",
              "s1: fill A[0B..8B] for 2ms",
              "legacy: fill A sync",
              "s1: call c reads A writes B updates h for 1s",
              "s1: record e1",
              "s1: record e1 external",
              "s1: wait e2",
              "s1: wait e2 external",
              "s1: alloc X 64KiB",
              "s1: free A",
              "s1: set f = 4294967295",
              "s1: await f >= 1",
              "s1: await f == 0",
              "s1: await f & 8",
              "s1: begin",
              "s1: begin threadlocal",
              "s1: begin relaxed",
              "s1: end g",
              "s1: fault IllegalAddress"});
  check_plain({{"s1: kernel k for 1us writes A reads B", "s1: kernel k reads B writes A for 1us"},
               {"s1:kernel k reads A , B[ 0 .. 64 ]", "s1: kernel k reads A,B[0B..64B]"},
               {"s1: kernel k threads 256 blocks 1", "s1: kernel k"},
               {"s1: kernel k for 1.5ms", "s1: kernel k for 1.5ms"},
               {"s1: kernel k for 1500us", "s1: kernel k for 1.5ms"},
               {"s1: kernel k for 0.001us", "s1: kernel k for 1ns"},
               {"s1: kernel k for 1.000000000000s", "s1: kernel k for 1s"},
               {"s1: kernel k for 9223372036854775807ns", "s1: kernel k for 9223372036.854775807s"},
               {"s1: copy A->B", "s1: copy A -> B"},
               {"s1: set f=1", "s1: set f = 1"},
               {"s1: await f&1", "s1: await f & 1"},
               {"s1: begin global", "s1: begin"},
               {"legacy: copy h -> A sync for 5us", "legacy: copy h -> A for 5us sync"}});
}

TEST_CASE("All operations of the host are read") {
  check_same({"host: sync s1",
              "host: sync e1",
              "host: sync device",
              "host: sync legacy",
              "host: query s1",
              "host: query e1",
              "host: poll e1",
              "host: read h",
              "host: read h[0B..4KiB],A",
              "host: write h",
              "host: work 20us",
              "host: elapsed e1 e2",
              "host: malloc X 64KiB",
              "host: malloc X 64KiB pageable",
              "host: free A",
              "host: destroy s1",
              "host: destroy e1",
              "host: raise go",
              "host: await go",
              "host: device 1",
              "host: device -1",
              "host: reset"});
}

TEST_CASE("Blocks are read and written back with their indentation") {
  check_same({"thread t {\n  s1: kernel k\n}\nhost: join t",
              "repeat 3 {\n  repeat 2 {\n    s1: kernel k\n  }\n}",
              "if query s1 {\n  host: work 1us\n}", "if query e1 {\n} else {\n  host: work 1us\n}",
              "thread t {\n  host: join t\n}"});
  check_plain({{"if query e1 {\n} else {\n}", "if query e1 {\n}"},
               {"repeat 1 { # once\n\n  ;\n  } # done", "repeat 1 {\n}"}});
}

TEST_CASE("Several operations stand on one line") {
  check_plain({{"s1: record e1; wait e2;; host: sync s1; sync s2; expect ready s1; repeat 2 {\n}",
                "s1: record e1\ns1: wait e2\nhost: sync s1\nhost: sync s2\nexpect ready s1\n"
                "repeat 2 {\n}"},
               {"host: device 1; s2: kernel k; buffer C 4KiB",
                "host: device 1\ns2: kernel k\nbuffer C 4KiB"}});
}

TEST_CASE("All expectations are read") {
  const std::string_view work =
      "s1: kernel k reads h\ns1: copy A -> B\ns1: fill A\ns1: call c\nhost: read h\nhost: write h\n"
      "s1: end g\n";
  for (const std::string_view expectation : {"expect clean",
                                             "expect race A",
                                             "expect race A between k copy1",
                                             "expect race A between k#2 fill1#1",
                                             "expect race h between read k",
                                             "expect race h between k write",
                                             "expect use-after-free A",
                                             "expect use-after-destroy s1",
                                             "expect use-after-destroy e1",
                                             "expect use-after-destroy g",
                                             "expect unrecorded-wait e1",
                                             "expect deadlock",
                                             "expect error NotReady",
                                             "expect ready s1",
                                             "expect ready legacy",
                                             "expect pending e1",
                                             "expect k before copy1",
                                             "expect k#3 unordered fill1",
                                             "expect c overlaps k",
                                             "expect start k = 0ns",
                                             "expect finish copy1#2 = 1.5ms",
                                             "expect end = 280us",
                                             "expect elapsed e1 e2 = 20us",
                                             "expect elapsed e1 e2 = -20us"}) {
    const std::string text = std::string(work) + std::string(expectation);
    CHECK(plain(text) == text + "\n");
  }
}

TEST_CASE("Expectations may speak of what comes later in the text") {
  check_same(
      {"expect k before copy1\nexpect race X\ns1: kernel k\ns1: copy A -> B\n"
       "host: malloc X 4KiB"});
}

TEST_CASE("What a word means its place decides") {
  const std::string text =
      "buffer buffer device 4KiB pinned\n"
      "stream stream kernel for\n"
      "event event record before\n"
      "stream: kernel kernel reads buffer writes device\n"
      "kernel: kernel reads\n"
      "kernel: kernel start\n"
      "for: kernel race\n"
      "for: kernel end\n"
      "for: record record\n"
      "host: sync kernel\n"
      "host: sync device\n"
      "expect kernel before reads\n"
      "expect start before race\n"
      "expect race before start\n"
      "expect race buffer between end start\n"
      "expect start start = 5us\n"
      "expect end before start\n"
      "expect end unordered race\n"
      "expect ready before\n"
      "expect elapsed before record = 5us\n";
  CHECK(Script::parse(text).to_text() == text);
}

}  // namespace millrace::test
