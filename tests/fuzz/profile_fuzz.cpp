// SPDX-License-Identifier: Apache-2.0
//
// Any text is either refused, with a line of it where one is to blame, or a profile under which a
// small program comes to its end.
#include "engine.hpp"
#include "profile.hpp"
#include "support/bare_engine.hpp"

#include <millrace/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

using namespace millrace;
using namespace millrace::sim;

void require(bool holds, const char* what, std::string_view text) {
  if (holds) return;
  std::fprintf(stderr, "%s:\n%.*s\n", what, static_cast<int>(text.size()), text.data());
  std::abort();
}

/// One operation of each kind that the device model tells apart, on each of three streams.
void run_something(const Profile& profile, std::string_view text) {
  Recorder recorder(false);
  test::NoHosts hosts;
  test::NoListener listener;
  Engine engine(profile, 1, recorder, hosts, listener);
  for (int i = 0; i < 3; ++i) engine.add_stream({.priority = -i, .created = i > 0});
  for (const Path path : {Path::kernel, Path::to_device, Path::to_host, Path::on_device, Path::fill,
                          Path::inline_fill, Path::none}) {
    for (std::uint32_t stream = 0; stream < 3; ++stream) {
      const bool moves = path != Path::kernel && path != Path::none;
      const Demand demand{.blocks = 1000, .threads = 1024, .shared_bytes = 100'000, .path = path};
      engine.enqueue({.stream = stream,
                      .kind = moves ? OperationKind::copy : OperationKind::kernel,
                      .duration = profile.transfers.to_device.of(1U << 20U, Duration{1000}),
                      .demand = demand},
                     {}, Time{});
    }
  }
  engine.advance_to(Time::never());
  require(engine.drained(), "work is left for ever", text);
}

void check_refusal(const Error& error, std::string_view text) {
  const std::string_view message = error.what();
  require(error.code() == Errc::InvalidValue, "the code is another one", text);
  const auto place = message.find("my.profile");
  require(place != std::string_view::npos, "no file is named", text);
  const std::string_view rest = message.substr(place + std::string_view("my.profile").size());
  const long line = rest.starts_with(':') ? std::strtol(rest.data() + 1, nullptr, 10) : 0;
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  require(line >= 0 && line <= lines, "the line is not in the text", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    run_something(parse_profile(text, "my.profile"), text);
  } catch (const Error& error) {
    check_refusal(error, text);
  }
  return 0;
}
