// SPDX-License-Identifier: Apache-2.0
#include "logging_host.hpp"

#include <millrace/script.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace millrace::test {
namespace {

using Log = std::vector<std::string>;

/// The calls of a script in which nothing goes wrong.
Log calls(std::string_view text) {
  LoggingHost host;
  const ScriptRun run = host.run(text);
  CHECK(run.failures.empty());
  CHECK(run.unsupported.empty());
  CHECK(!run.stopped);
  return host.machine.log;
}

/// The same, without what declarations do.
Log calls(std::string_view declarations, std::string_view text) {
  Log all = calls(std::string(declarations) + "\n" + std::string(text));
  const Log made = calls(declarations);
  REQUIRE(all.size() >= made.size());
  return {all.begin() + static_cast<Log::difference_type>(made.size()), all.end()};
}

}  // namespace

TEST_CASE("Declarations make their things in the order of the text, before all statements") {
  CHECK(calls("device h200; gpus 2\n"
              "buffer A B 4KiB on 1\n"
              "buffer h 8 pageable\n"
              "host: work 1us\n"
              "stream s t blocking priority -1 on 1\n"
              "event e timing interprocess\n"
              "flag f g\n") ==
        Log{"2 allocate A 4096 device on 1", "2 allocate B 4096 device on 1",
            "3 allocate h 8 pageable on 0", "5 stream s blocking priority -1 on 1",
            "5 stream t blocking priority -1 on 1", "6 event e timing interprocess on 0",
            "7 flag f", "7 flag g", "4 work 1us"});
}

TEST_CASE("Operations of streams become calls of the backend") {
  CHECK(calls("buffer A B 64; buffer h 32 pinned; stream s on 1; event e; flag f",
              "s: kernel k reads A,B[0..8] writes h[8..] updates A[0..64 pitch 16 width 4] for 5us "
              "blocks 3 threads 32\n"
              "s: kernel plain\n"
              "s: call c writes h reads A for 2us\n"
              "s: record e; wait e; record e external; wait e external\n"
              "s: alloc X 16; free X\n"
              "s: set f = 3; await f >= 1; await f == 2; await f & 4\n"
              "s: begin; end g; begin relaxed; end h2; begin threadlocal; end h3; launch g\n"
              "s: fault LaunchFailure\n") ==
        Log{"2 kernel k on s reads A[0..64] B[0..8] writes h[8..32] updates A[0..64/16/4] for 5us "
            "grid 3x32",
            "3 kernel plain on s grid 1x256",
            "4 call c on s reads A[0..64] writes h[0..32] for 2us",
            "5 record e on s",
            "5 wait e on s",
            "5 record e on s external",
            "5 wait e on s external",
            "6 alloc X 16 on s of device 1",
            "6 free X on s",
            "7 set f = 3 on s",
            "7 await f >= 1 on s",
            "7 await f == 2 on s",
            "7 await f & 4 on s",
            "8 begin global on s",
            "8 end g on s",
            "8 begin relaxed on s",
            "8 end h2 on s",
            "8 begin threadlocal on s",
            "8 end h3 on s",
            "8 launch g on s",
            "9 fault LaunchFailure on s"});
}

TEST_CASE("Copies and fills are named by their place in the text") {
  CHECK(calls("buffer A 64; buffer h 32 pinned; stream s",
              "repeat 2 {\n"
              "  s: copy A -> h\n"
              "}\n"
              "s: fill A; fill h[8..] for 1us\n"
              "s: copy h -> A[32..] 8\n"
              "legacy: copy h -> A for 1us sync; fill A sync\n") ==
        Log{"3 copy1 on s A[0..32] -> h[0..32]", "3 copy1 on s A[0..32] -> h[0..32]",
            "5 fill1 on s A[0..64] with 0", "5 fill2 on s h[8..32] with 0 for 1us",
            "6 copy2 on s h[0..8] -> A[32..40]",
            "7 copy3 on legacy0 h[0..32] -> A[0..32] for 1us sync",
            "7 fill3 on legacy0 A[0..64] with 0 sync"});
}

TEST_CASE("Copies take the first bytes of 2D regions, row by row") {
  CHECK(calls("buffer A B 64; stream s",
              "s: copy A[0..64 pitch 16 width 4] -> B\n"
              "s: copy B -> A[0..64 pitch 16 width 8] 20\n"
              "s: copy B -> A[0..64 pitch 16 width 8] 16\n"
              "s: copy B -> A[0..64 pitch 16 width 8] 0\n"
              "s: copy A[0..64 pitch 16 width 4] -> B[0..60 pitch 20 width 3]\n") ==
        Log{"2 copy1 on s A[0..64/16/4] -> B[0..16]", "3 copy2 on s B[0..20] -> A[0..36/16/8]",
            "4 copy3 on s B[0..16] -> A[0..24/16/8]", "5 copy4 on s B[0..0] -> A[0..0/16/8]",
            "6 copy5 on s A[0..33/16/4] -> B[0..60/20/3]"});
}

TEST_CASE("A size beyond the memory is the backend's to refuse, beyond a region ours") {
  CHECK(calls("buffer A B 64; stream s", "s: copy A -> B 128\n") ==
        Log{"2 copy1 on s A[0..128] -> B[0..128]"});
  CHECK(calls("buffer A B 64; stream s", "s: copy A[60..] -> B 18446744073709551615\n") ==
        Log{"2 copy1 on s A[60..18446744073709551615] -> B[0..18446744073709551615]"});
  CHECK(calls("buffer A B 64; stream s",
              "s: copy A[0..8] -> B 16\nexpect error InvalidValue\n"
              "s: copy A -> B[0..64 pitch 16 width 1] 5\nexpect error InvalidValue\n")
            .empty());
}

TEST_CASE("Operations of the host become calls") {
  CHECK(calls("buffer h i 8 pinned; stream s; event e f timing",
              "host: sync s; sync e; sync device; query s; query e\n"
              "host: read h,i[2..]; write i\n"
              "host: work 3us; elapsed e f\n"
              "host: malloc X 16 managed; free X; malloc X 32\n"
              "host: raise go; await go\n"
              "host: reset; destroy e; destroy s\n") ==
        Log{"2 sync stream s", "2 sync event e", "2 sync device 0", "2 query s", "2 query e",
            "3 host reads h[0..8] i[2..8]", "3 host writes i[0..8]", "4 work 3us", "4 elapsed e f",
            "5 allocate X 16 managed on 0", "5 free X", "5 allocate X 32 device on 0", "6 raise go",
            "6 await go", "7 reset 0", "7 destroy event e", "7 destroy stream s"});
}

TEST_CASE("The default streams, reset and sync device follow the thread's current device") {
  CHECK(calls("",
              "host: device 1\n"
              "legacy: kernel k\n"
              "perthread: kernel k\n"
              "host: sync legacy; sync device; malloc X 8; reset\n"
              "legacy: alloc Y 8\n"
              "thread t {\n"
              "  perthread: kernel own\n"
              "  legacy: kernel shared\n"
              "}\n"
              "host: join t\n"
              "perthread: kernel k\n") ==
        Log{"3 kernel k on legacy1 grid 1x256", "4 kernel k on perthread1 of main grid 1x256",
            "5 sync stream legacy1", "5 sync device 1", "5 allocate X 8 device on 1", "5 reset 1",
            "6 alloc Y 8 on legacy1 of device 1", "7 thread t",
            "8 kernel own on perthread0 of t grid 1x256", "9 kernel shared on legacy0 grid 1x256",
            "11 join t", "12 kernel k on perthread1 of main grid 1x256"});
}

TEST_CASE("Blocks run as often and on that side as they should") {
  LoggingHost host;
  host.machine.pending["s"] = 1;
  const ScriptRun run = host.run(
      "stream s\n"
      "repeat 2 {\n"
      "  if query s {\n"
      "    host: raise ready\n"
      "  } else {\n"
      "    host: raise pending\n"
      "  }\n"
      "}\n"
      "repeat 0 {\n"
      "  host: raise never\n"
      "}\n"
      "if query s {\n"
      "}\n");
  CHECK(run.failures.empty());
  CHECK(host.machine.log == Log{"1 stream s priority 0 on 0", "3 query s", "6 raise pending",
                                "3 query s", "4 raise ready", "12 query s"});
}

TEST_CASE("Polling asks again after each idle moment") {
  LoggingHost host;
  host.machine.pending["e"] = 2;
  const ScriptRun run = host.run("event e\nhost: poll e\n");
  CHECK(run.failures.empty());
  CHECK(host.machine.log ==
        Log{"1 event e on 0", "2 query e", "2 idle", "2 query e", "2 idle", "2 query e"});
}

TEST_CASE("Threads that nobody joins run to their end") {
  CHECK(calls("",
              "thread t {\n"
              "  host: work 2us\n"
              "}\n"
              "host: work 1us\n") == Log{"2 thread t", "5 work 1us", "3 work 2us"});
}

TEST_CASE("A name that is given again means its latest memory, a freed one its last") {
  LoggingHost host;
  const ScriptRun run = host.run(
      "stream s\n"
      "host: malloc X 8\n"
      "repeat 2 {\n"
      "  s: kernel k reads X\n"
      "  host: free X; malloc X 16\n"
      "}\n"
      "host: free X\n"
      "s: kernel k reads X\n");
  CHECK(run.failures.empty());
  CHECK(host.machine.log ==
        Log{"1 stream s priority 0 on 0", "2 allocate X 8 device on 0",
            "4 kernel k on s reads X[0..8] grid 1x256", "5 free X", "5 allocate X 16 device on 0",
            "4 kernel k on s reads X[0..16] grid 1x256", "5 free X", "5 allocate X 16 device on 0",
            "7 free X", "8 kernel k on s reads X[0..16] grid 1x256"});
}

}  // namespace millrace::test
