// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What tests of captures, and of all that an H200 was asked, are made of. Answers are text, as the
/// measured programs print them: "Success,Success:1,Success+graph" are a call's answer, the status
/// of the captured stream after it (0 none, 1 active, 2 invalidated), and the answer of ending the
/// capture.

#include "world.hpp"

#include <millrace/graph.hpp>

#include <initializer_list>
#include <string>
#include <type_traits>

namespace millrace::contract {

/// The name of the error that `call` throws, "NotReady" when it answers false, else "Success".
template <typename Call>
std::string answer(Call&& call) {
  try {
    if constexpr (std::is_same_v<decltype(call()), bool>) {
      return call() ? "Success" : "NotReady";
    } else {
      static_cast<void>(call());
      return "Success";
    }
  } catch (const Error& error) {
    return std::string(to_string(error.code()));
  }
}

template <typename Call>
std::string answer_on_other_thread(Call&& call) {
  std::string answered;
  world().start([&] { answered = answer(call); })();
  return answered;
}

inline std::string join(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

// Captures without their guard: some situations end what they did not begin.

inline std::string begin(const Stream& stream, CaptureMode mode = CaptureMode::global) {
  return answer([&] {
    stream.backend().begin_capture(stream.handle(), mode,
                                   {"begin_capture", SourceLocation::current()});
  });
}

inline std::string end(const Stream& stream) {
  return answer([&] {
    stream.backend().end_capture(stream.handle(), "g", {"end_capture", SourceLocation::current()});
  });
}

/// As the measured programs print it.
inline std::string end_with_graph(const Stream& stream) {
  const std::string ended = end(stream);
  return ended == "Success" ? ended + "+graph" : ended;
}

inline std::string status(const Stream& stream) {
  int seen = -1;
  const std::string answered =
      answer([&] { seen = static_cast<int>(stream.capture_info().status); });
  return answered + ":" + std::to_string(seen);
}

/// The answer of a call during a capture of `stream`, the status after it, and the capture's end.
template <typename Call>
std::string beside(const Stream& stream, CaptureMode mode, Call&& call) {
  begin(stream, mode);
  const std::string answered = answer(call);
  const std::string after = status(stream);
  return join({answered, after, end_with_graph(stream)});
}

inline constexpr const char* passes = "Success,Success:1,Success+graph";
inline constexpr const char* breaks = "StreamCaptureUnsupported,Success:2,StreamCaptureInvalidated";

inline std::string size_of(const Graph& graph) {
  return std::to_string(graph.node_count()) + " nodes " + std::to_string(graph.edge_count()) +
         " edges";
}

/// A call that does work and touches nothing.
inline void work(const Stream& stream) {
  stream.call("nop", [] {});
}

/// What the situations are made of: two non-blocking streams and a blocking one, an event that
/// `other` has recorded and completed, and one never recorded.
struct Scene {
  Scene() {
    done.record(other);
    other.synchronize();
  }

  [[nodiscard]] Stream legacy() const { return default_stream(device); }
  Buffer<char> memory(MemoryKind of) const { return {4096, of, device}; }
  void free(const Buffer<char>& released) const {
    device.backend().free(released.handle(), {"free", SourceLocation::current()});
  }

  Device device = contract::device(0);
  Buffer<char> buffer{4096, MemoryKind::device, device};
  Buffer<char> host{4096, MemoryKind::pageable, device};
  Stream stream{StreamOptions{.device = device, .name = "s"}};
  Stream other{StreamOptions{.device = device, .name = "t"}};
  Stream blocking{StreamOptions{.device = device, .blocking = true, .name = "b"}};
  Event done{EventOptions{.device = device, .enable_timing = true, .name = "done"}};
  Event fresh{EventOptions{.device = device, .enable_timing = true, .name = "fresh"}};
};

}  // namespace millrace::contract
