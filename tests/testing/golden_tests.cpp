// SPDX-License-Identifier: Apache-2.0
#include "../support/scratch.hpp"
#include "programs.hpp"

#include <millrace/testing.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace millrace::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

/// MILLRACE_UPDATE_GOLDEN has this value, and afterwards what it had before.
class Updating {
 public:
  explicit Updating(const char* value) {
    if (const char* const before = std::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  ~Updating() { ::setenv(name, before_.c_str(), 1); }
  Updating(const Updating&) = delete;
  Updating& operator=(const Updating&) = delete;

 private:
  static constexpr const char* name = "MILLRACE_UPDATE_GOLDEN";
  std::string before_;
};

}  // namespace

TEST_CASE("a golden text shows operations, waits, host calls and findings, and no place") {
  const sim::Report racy = upload_and_use(false);
  CHECK(expect::golden_text(racy.trace, racy.findings) ==
        "millrace sim, profile ideal, seed 0, ends at 120us\n"
        "stream producer\n"
        "  kernel upload: 0ns to 120us, writes numbers; waited for enqueue\n"
        "stream consumer\n"
        "  kernel use: 0ns to 80us, reads numbers; waited for enqueue\n"
        "thread main\n"
        "  synchronize device sim:0: 0ns to 120us\n"
        "findings\n"
        "  race on numbers: upload on producer, use on consumer\n");
}

TEST_CASE("the golden texts of equal programs are equal") {
  const sim::Report ordered = upload_and_use(true);
  CHECK(expect::matches_golden("tests/testing/golden/ordered.txt")(ordered).message().empty());
}

TEST_CASE("a golden file is written when asked, then holds until the run changes") {
  const Scratch scratch;
  const std::string file = scratch.path("folder/run.txt");
  const sim::Report ordered = upload_and_use(true);
  const expect::Expectation golden = expect::matches_golden(file);
  {
    const Updating no("0");
    CHECK_THAT(golden(ordered).difference, ContainsSubstring("there is no file " + file));
    CHECK_FALSE(std::filesystem::exists(file));
  }
  {
    const Updating yes("1");
    CHECK(golden(ordered).ok);
    CHECK(expect::updated_golden_files().back() == file);
    const std::size_t updates = expect::updated_golden_files().size();
    CHECK(golden(ordered).ok);
    CHECK(expect::updated_golden_files().size() == updates);  // nothing had changed
  }
  const Updating no("");
  CHECK(golden(ordered).ok);
  const std::string shown = golden(upload_and_use(false)).difference;
  CHECK_THAT(shown, ContainsSubstring("it differs from " + file + " from line 1 on"));
  CHECK_THAT(shown, ContainsSubstring("\n+   kernel use: 0ns to 80us, reads numbers;"));
  CHECK_THAT(shown, EndsWith("update: MILLRACE_UPDATE_GOLDEN=1 and this test make the file what "
                             "this run gave"));
}

TEST_CASE("only the lines between the first and the last difference are shown") {
  const Scratch scratch;
  const sim::Report report = upload_and_use(true);
  const std::string text = expect::golden_text(report.trace, report.findings);
  std::string other = text;
  other.replace(other.find("writes"), 6, "reads");
  const Updating no("");
  CHECK_THAT(expect::matches_golden(scratch.file("other.txt", other))(report).difference,
             ContainsSubstring(" from line 3 on (- golden, + this run)\n"
                               "-   kernel upload: 0ns to 120us, reads numbers; waited for "
                               "enqueue\n"
                               "+   kernel upload: 0ns to 120us, writes numbers; waited for "
                               "enqueue\nupdate: "));
  std::string longer = text;
  for (int i = 0; i < 20; ++i) longer += "more\n";
  CHECK_THAT(expect::matches_golden(scratch.file("longer.txt", longer))(report).difference,
             ContainsSubstring("- more\n- … and 8 more lines\nupdate: "));
}

TEST_CASE("a golden file that cannot be written is a failure that says so") {
  const Scratch scratch;
  const Updating yes("1");
  const std::string file = scratch.file("file", "") + "/below.txt";
  CHECK(expect::matches_golden(file)(upload_and_use(true)).difference ==
        "the golden file " + file + " cannot be written");
}

}  // namespace millrace::test
