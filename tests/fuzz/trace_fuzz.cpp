// SPDX-License-Identifier: Apache-2.0
//
// Whatever the bytes are, reading them ends in a trace or in TraceFileError; and a trace that was
// read can be written, read again, summed up and exported. The checksums are made right before a
// second attempt, or no change would get behind them.

#include "../trace/reseal.hpp"

#include <millrace/trace_file.hpp>
#include <millrace/trace_summary.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

namespace {

using namespace millrace;

void require(bool condition, const char* what) {
  if (condition) return;
  std::cerr << "not so: " << what << '\n';
  std::abort();
}

std::string written(const Trace& trace) {
  std::ostringstream out;
  write_trace(trace, out);
  return out.str();
}

void try_to_read(std::span<const std::byte> bytes) {
  Trace trace;
  try {
    trace = read_trace(bytes);
  } catch (const TraceFileError&) {
    return;
  }
  const std::string text = written(trace);
  const Trace again = read_trace(std::as_bytes(std::span(text)));
  require(again == trace, "what is read and written reads the same");
  require(written(again) == text, "equal traces give equal bytes");
  require(!describe(summarize(trace)).empty(), "there is a summary");
  if (trace.operations.size() + trace.calls.size() > 10'000) return;
  std::ostringstream json;
  write_chrome_json(trace, json);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes = std::as_bytes(std::span(data, size));
  try_to_read(bytes);
  std::vector<std::byte> resealed(bytes.begin(), bytes.end());
  test::reseal(resealed);
  try_to_read(resealed);
  return 0;
}
