// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// A main function of Catch2 tests that knows the test kit's option; link Catch2::Catch2, not
/// Catch2WithMain:
///
///   int main(int argc, char* argv[]) { return millrace::run_tests(argc, argv); }

#include <millrace/catch2.hpp>

#include <catch2/catch_session.hpp>

#include <cstdlib>

namespace millrace {

/// Runs the tests as Catch2 does and returns what main() is to return. Besides Catch2's options
/// there is `--update-golden`: golden files take what runs give, as with MILLRACE_UPDATE_GOLDEN=1.
inline int run_tests(int argc, char* argv[]) {
  using Catch::Clara::Opt;
  Catch::Session session;
  bool update_golden = false;
  session.cli(session.cli() |
              Opt(update_golden)["--update-golden"]("golden files take what runs give"));
  if (const int code = session.applyCommandLine(argc, argv); code != 0) return code;
  if (update_golden) ::setenv("MILLRACE_UPDATE_GOLDEN", "1", 1);
  return session.run();
}

}  // namespace millrace
