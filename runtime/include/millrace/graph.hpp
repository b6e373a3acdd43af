// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Graphs: work that is described once and launched many times. Built by hand, or by capturing what
/// is enqueued on streams.

#include <millrace/event.hpp>
#include <millrace/flag.hpp>
#include <millrace/graph_node.hpp>
#include <millrace/stream.hpp>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>

namespace millrace {

class GraphExec;

struct GraphOptions {
  std::optional<Device> device{};  ///< the current device when not given
  Name name{};                     ///< what reports call it
};

/// A list of nodes that another one comes after; like AccessList it owns nothing.
class GraphNodes {
 public:
  constexpr GraphNodes() = default;
  constexpr GraphNodes(std::span<const NodeId> nodes)  // NOLINT(google-explicit-constructor)
      : nodes_(nodes) {}
  constexpr GraphNodes(std::initializer_list<NodeId> nodes) : nodes_(nodes.begin(), nodes.size()) {}

  [[nodiscard]] constexpr std::span<const NodeId> all() const { return nodes_; }

 private:
  std::span<const NodeId> nodes_;
};

/// Memory that each launch of a graph allocates anew.
struct GraphMemory {
  NodeId node = 0;
  Access all;            ///< to declare accesses of other nodes with, and to free it
  void* data = nullptr;  ///< for bodies
};

/// A graph. Copies share it, there is no empty one, and the last to go destroys it; executables
/// made of it and work launched live on. One host thread at a time may change it.
///
/// Nodes are numbered in order of addition. A node starts when those that it comes `after` have
/// ended; nothing else orders nodes. Bodies run once a launch. What an added node may be is what a
/// stream accepts, with the same errors; an unknown node in `after`: InvalidValue.
class Graph {
 public:
  explicit Graph(SourceLocation where = SourceLocation::current());
  explicit Graph(const GraphOptions& options, SourceLocation where = SourceLocation::current());
  Graph(const Graph&) noexcept = default;
  Graph& operator=(const Graph&) noexcept = default;
  ~Graph() = default;

  NodeId add_kernel(Name name, const LaunchOptions& options = {}, Task body = nullptr,
                    GraphNodes after = {}, SourceLocation where = SourceLocation::current());
  NodeId add_call(Name name, const CallOptions& options, Task function, GraphNodes after = {},
                  SourceLocation where = SourceLocation::current());
  NodeId add_copy(const Access& to, const Access& from, const TransferOptions& options = {},
                  GraphNodes after = {}, SourceLocation where = SourceLocation::current());
  NodeId add_fill(const Access& region, std::uint8_t value, const TransferOptions& options = {},
                  GraphNodes after = {}, SourceLocation where = SourceLocation::current());
  /// Each launch records `event`, which must then still be there.
  NodeId add_record(const Event& event, GraphNodes after = {},
                    SourceLocation where = SourceLocation::current());
  /// Each launch waits for the record that `event` has at that time; for none if there is none.
  NodeId add_wait(const Event& event, GraphNodes after = {},
                  SourceLocation where = SourceLocation::current());
  /// Each launch sets `flag`, which must not be gone when the node is added.
  NodeId add_set_flag(const Flag& flag, std::uint32_t value, GraphNodes after = {},
                      SourceLocation where = SourceLocation::current());
  /// Each launch waits until `flag` fulfils the condition.
  NodeId add_await_flag(const Flag& flag, FlagCondition condition, std::uint32_t value,
                        GraphNodes after = {}, SourceLocation where = SourceLocation::current());
  /// A node that does nothing: it joins those that it comes after.
  NodeId add_empty(GraphNodes after = {}, SourceLocation where = SourceLocation::current());
  /// All of `child`, as it is now, as one node.
  NodeId add_graph(const Graph& child, GraphNodes after = {},
                   SourceLocation where = SourceLocation::current());
  /// Device memory for each launch. A launch fails with InvalidValue while the memory of the one
  /// before was not freed: by add_free, or outside of the graph.
  GraphMemory add_allocate(std::uint64_t bytes, Name name = {}, GraphNodes after = {},
                           SourceLocation where = SourceLocation::current());
  NodeId add_free(const GraphMemory& memory, GraphNodes after = {},
                  SourceLocation where = SourceLocation::current());
  /// `to` comes after `from`.
  void add_dependency(NodeId from, NodeId to, SourceLocation where = SourceLocation::current());

  [[nodiscard]] std::size_t node_count(SourceLocation where = SourceLocation::current()) const;
  [[nodiscard]] std::size_t edge_count(SourceLocation where = SourceLocation::current()) const;
  [[nodiscard]] GraphInfo info(SourceLocation where = SourceLocation::current()) const;

  /// What can be launched: a copy of the graph as it is now. Throws Error{InvalidValue} for a
  /// cycle, StreamCaptureUnsupported where a capture forbids it.
  [[nodiscard]] GraphExec instantiate(SourceLocation where = SourceLocation::current()) const;

  [[nodiscard]] Device device() const noexcept;

  /// For those who implement backends and tools.
  [[nodiscard]] Handle handle() const noexcept;

  friend bool operator==(const Graph& a, const Graph& b) noexcept { return a.state_ == b.state_; }

 private:
  struct State;
  friend class GraphCapture;
  explicit Graph(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}
  NodeId add(NodeWork work, GraphNodes after, const CallSite& site);

  std::shared_ptr<const State> state_;
};

/// An executable graph. Copies share it, there is no empty one, and the last to go destroys it,
/// which returns at once and lets launched work complete.
class GraphExec {
 public:
  GraphExec(const GraphExec&) noexcept = default;
  GraphExec& operator=(const GraphExec&) noexcept = default;
  ~GraphExec() = default;

  /// Enqueues all nodes as one: after the earlier work of `stream` and after this executable's
  /// launch before, wherever that was; later work of the stream comes after all of them. Throws
  /// Error{StreamCaptureUnsupported} for a stream that is being captured.
  void launch(const Stream& stream, SourceLocation where = SourceLocation::current()) const;
  /// On the current stream of the graph's device.
  void launch(SourceLocation where = SourceLocation::current()) const;
  /// Later launches do the work of `graph`; what was launched stays as it was. Throws
  /// Error{GraphExecUpdateFailure} unless it has the same kinds of nodes and the same edges.
  void update(const Graph& graph, SourceLocation where = SourceLocation::current());

  /// For those who implement backends and tools.
  [[nodiscard]] Handle handle() const noexcept;

  friend bool operator==(const GraphExec& a, const GraphExec& b) noexcept {
    return a.state_ == b.state_;
  }

 private:
  struct State;
  friend class Graph;
  explicit GraphExec(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

/// Captures a stream until `end` or the end of the scope. Meanwhile work enqueued on it does not
/// run but becomes nodes; so does that of every stream that waits for an event recorded in the
/// capture, which must be joined again by an event before the end. Calls that cannot be part of a
/// graph fail and break the capture: see CaptureMode.
class GraphCapture {
 public:
  /// Throws Error: StreamCaptureUnsupported for the legacy default stream, IllegalState for a
  /// stream that is being captured already.
  [[nodiscard]] explicit GraphCapture(const Stream& stream, CaptureMode mode = CaptureMode::global,
                                      SourceLocation where = SourceLocation::current());
  /// Adds to a graph that there is, after some of its nodes.
  [[nodiscard]] GraphCapture(const Stream& stream, const Graph& into, GraphNodes after = {},
                             CaptureMode mode = CaptureMode::global,
                             SourceLocation where = SourceLocation::current());
  /// Ends a capture that was not ended, on exceptions too; what it captured is lost.
  ~GraphCapture();
  GraphCapture(const GraphCapture&) = delete;
  GraphCapture& operator=(const GraphCapture&) = delete;

  /// Ends the capture, whatever it throws: StreamCaptureInvalidated when it was broken,
  /// StreamCaptureUnjoined when work of another stream was not joined, StreamCaptureWrongThread on
  /// another host thread unless relaxed, IllegalState when it was ended before.
  /// `name` is what reports call a graph that was not given.
  Graph end(Name name = {}, SourceLocation where = SourceLocation::current());

 private:
  Stream stream_;
  std::optional<Graph> into_;
  SourceLocation where_;
  bool open_ = true;
};

/// Lets this host thread make unsafe calls while others, or it itself, capture (relaxed), or takes
/// that back; restores the former mode at the end.
class CaptureModeGuard {
 public:
  [[nodiscard]] explicit CaptureModeGuard(CaptureMode mode,
                                          SourceLocation where = SourceLocation::current());
  [[nodiscard]] CaptureModeGuard(CaptureMode mode, const Device& device,
                                 SourceLocation where = SourceLocation::current());
  ~CaptureModeGuard();
  CaptureModeGuard(const CaptureModeGuard&) = delete;
  CaptureModeGuard& operator=(const CaptureModeGuard&) = delete;

  [[nodiscard]] CaptureMode former() const noexcept { return former_; }

 private:
  Device device_;
  CaptureMode former_;
  SourceLocation where_;
};

}  // namespace millrace
