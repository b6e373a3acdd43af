// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Situations during captures, each with the answer that an H200 gave (CUDA 13.0), as text:
/// "Success,Success:1,Success+graph" are a call's answer, the status of the captured stream after
/// it (0 none, 1 active, 2 invalidated), and the answer of ending the capture.

#include "world.hpp"

#include <millrace/graph.hpp>

#include <catch2/catch_test_macros.hpp>

#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

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

struct Situation {
  std::string name;
  std::string measured;
  std::function<std::string(Scene&)> play;
};

/// Plays each in a scene of its own, in every world that there is, and compares.
inline void check(const std::vector<Situation>& situations) {
  for (const Situation& situation : situations) {
    DYNAMIC_SECTION(situation.name) {
      std::string answered;
      on_every_backend([&] {
        Scene scene;
        answered = situation.play(scene);
        CHECK(answered == situation.measured);
      });
    }
  }
}

/// The five ways in which a call meets a capture of `Scene::stream`.
struct Meeting {
  const char* name;
  CaptureMode mode;
  bool from_other_thread;
};
inline constexpr Meeting meetings[] = {
    {"global", CaptureMode::global, false},
    {"thread-local", CaptureMode::thread_local_mode, false},
    {"relaxed", CaptureMode::relaxed, false},
    {"global, from another thread", CaptureMode::global, true},
    {"thread-local, from another thread", CaptureMode::thread_local_mode, true},
};

inline constexpr const char* passes = "Success,Success:1,Success+graph";
inline constexpr const char* breaks = "StreamCaptureUnsupported,Success:2,StreamCaptureInvalidated";
inline constexpr const char* implicit = "StreamCaptureImplicit,Success:2,StreamCaptureInvalidated";

/// What was measured of a call in the five meetings.
enum class Rule { harmless, unsafe, never };

inline const char* measured(Rule rule, const Meeting& meeting) {
  if (rule == Rule::harmless) return passes;
  if (rule == Rule::never) return breaks;
  const bool other_thread = meeting.mode != CaptureMode::global && meeting.from_other_thread;
  return meeting.mode == CaptureMode::relaxed || other_thread ? passes : breaks;
}

inline void check_meetings(const char* name, Rule rule, const std::function<void(Scene&)>& call) {
  std::vector<Situation> situations;
  for (const Meeting& meeting : meetings) {
    situations.push_back({std::string(name) + ", " + meeting.name, measured(rule, meeting),
                          [&call, &meeting](Scene& scene) {
                            begin(scene.stream, meeting.mode);
                            const auto made = [&] { call(scene); };
                            const std::string answered = meeting.from_other_thread
                                                             ? answer_on_other_thread(made)
                                                             : answer(made);
                            const std::string after = status(scene.stream);
                            return join({answered, after, end_with_graph(scene.stream)});
                          }});
  }
  check(situations);
}

}  // namespace millrace::contract
