// SPDX-License-Identifier: Apache-2.0
#include "bad_scripts.hpp"

#include <millrace/script.hpp>

#include <catch2/catch_test_macros.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace millrace::test {
namespace {

/// The message for what stands behind the preamble; empty when it can be read.
std::string failure(std::string_view text) {
  try {
    static_cast<void>(Script::parse(std::string(preamble) + std::string(text)));
  } catch (const ScriptError& error) {
    return error.message();
  }
  return {};
}

void check_read(std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    INFO(text);
    CHECK(failure(text).empty());
  }
}
void check_refused(std::string_view name, std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    INFO(text);
    CHECK(failure(text).starts_with("found '" + std::string(name) +
                                    "', expected a name that is free"));
  }
}

}  // namespace

TEST_CASE("Memory and graphs may be given again after their end") {
  check_read({"host: malloc X 4; free X; malloc X 8", "s1: alloc X 4; free X; alloc X 8; free X",
              "host: malloc X 4\ns1: free X\ns1: alloc X 8", "host: free A; malloc A 8",
              "s1: begin; end g\nhost: destroy g\ns1: begin; end g",
              "host: malloc X 4; free X\ns1: begin; end X\ns1: launch X"});
  check_refused("X", {"host: malloc X 4; malloc X 4", "s1: alloc X 4\nhost: malloc X 4",
                      "s1: begin; end X\ns1: alloc X 4", "s1: end X; end X"});
}

TEST_CASE("Only living names are taken, but a name of a declaration is taken for ever") {
  check_refused("X", {"host: malloc X 4; free X\nbuffer X 4", "host: malloc X 4; free X\nstream X",
                      "host: malloc X 4; free X\nthread X {\n}"});
  check_refused("s1", {"host: destroy s1; malloc s1 4", "host: destroy s1\nstream s1"});
  check_refused("t", {"thread t {\n}\nhost: join t\nthread t {\n}"});
}

TEST_CASE("Memory may be used after its end: the run says what that means") {
  check_read({"host: free A\ns1: kernel k reads A", "host: free A; free A",
              "host: malloc X 4\nhost: free X\ns1: kernel k reads X[0..4]"});
}

TEST_CASE("What failed as expected gave and released nothing") {
  check_read({"host: malloc X 4\nexpect error MemoryAllocation\nhost: malloc X 4",
              "s1: end g\nexpect error IllegalState\ns1: end g",
              "host: malloc X 4\nhost: free X; malloc X 4"});
  check_refused("X", {"host: malloc X 4; free X\nexpect error InvalidValue\nhost: malloc X 4",
                      "host: malloc X 4\nexpect ready s1\nhost: malloc X 4"});
}

TEST_CASE("Behind an if a name is taken when it lives on both ways") {
  check_read({"if query s1 {\n  host: malloc X 4\n} else {\n  host: malloc X 8\n}\nhost: free X",
              "if query s1 {\n  host: malloc X 4\n}\nhost: malloc X 4",
              "host: malloc X 4\nif query s1 {\n  host: free X\n}\nhost: malloc X 4",
              "host: malloc X 4\nif query s1 {\n} else {\n  host: free X\n}\nhost: malloc X 4",
              "host: malloc X 4\nif query s1 {\n  host: free X\n} else {\n  host: free X\n}\n"
              "host: malloc X 4",
              "host: malloc X 4; free X\nif query s1 {\n  host: malloc X 4; free X\n}\n"
              "host: malloc X 4"});
  check_refused(
      "X", {"if query s1 {\n  host: malloc X 4\n} else {\n  host: malloc X 8\n}\nhost: malloc X 4",
            "if query s1 {\n  host: malloc X 4\n  if query e1 {\n    host: free X\n  } else {\n"
            "    host: free X\n  }\n  host: malloc X 4\n  host: malloc X 4\n}",
            "host: malloc X 4\nif query s1 {\n  host: free X; malloc X 8\n}\nhost: malloc X 4"});
}

TEST_CASE("A loop may not give a name that lives when it comes round again") {
  check_read({"repeat 2 {\n  host: malloc X 4; free X\n}", "repeat 1 {\n  host: malloc X 4\n}",
              "repeat 0 {\n  host: malloc X 4\n}",
              "host: malloc X 4\nrepeat 2 {\n  host: free X; malloc X 4\n}",
              "repeat 2 {\n  if query s1 {\n    host: malloc X 4\n  }\n}"});
  check_refused("X", {"repeat 2 {\n  host: malloc X 4\n}",
                      "repeat 3 {\n  repeat 1 {\n    s1: alloc X 4\n  }\n}",
                      "repeat 2 {\n  host: malloc X 4; free X; malloc X 4\n}",
                      "repeat 2 {\n  if query s1 {\n    host: malloc X 4\n  } else {\n"
                      "    host: malloc X 8\n  }\n}"});
}

TEST_CASE("Names that are nearly right are asked about") {
  CHECK(failure("s1: kernel k reads a").ends_with("did you mean 'A'?"));
  CHECK(failure("buffer activations 4KiB\ns1: fill activatoins")
            .ends_with("did you mean 'activations'?"));
  CHECK(failure("buffer activations 4KiB\ns1: fill weights") ==
        "found the unknown name 'weights', expected memory");
  CHECK(failure("buffer ready 4KiB\nevent reday\nhost: query ready") ==
        "found the memory 'ready', expected a stream or an event; did you mean 'reday'?");
}

}  // namespace millrace::test
