// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Captures and the nodes of graphs, as backends are asked for them. Programs use graph.hpp.

#include <millrace/access.hpp>
#include <millrace/flag_condition.hpp>
#include <millrace/launch.hpp>
#include <millrace/name.hpp>
#include <millrace/source_location.hpp>
#include <millrace/task.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

namespace millrace {

/// How much a capture forbids meanwhile. Unsafe calls (allocation and release, waiting for or
/// asking about streams and events outside of it, instantiation) fail and break the capture …
enum class CaptureMode : std::uint8_t {
  global,             ///< … whichever host thread makes them
  thread_local_mode,  ///< … when the thread makes them that began the capture
  relaxed,            ///< never
};

enum class CaptureStatus : std::uint8_t {
  idle,  ///< there is none
  active,
  invalidated,  ///< broken by a forbidden call; it still has to be ended
};

/// A node's number in its graph, in order of addition from 0 on.
using NodeId = std::uint32_t;

/// What a stream is being captured into.
struct CaptureInfo {
  CaptureStatus status = CaptureStatus::idle;
  std::uint64_t id = 0;  ///< another one for each capture; 0 while there is none
  CaptureMode mode = CaptureMode::global;
  std::size_t nodes = 0;         ///< of the graph so far
  std::vector<NodeId> frontier;  ///< the nodes that the stream's next one would come after
};

enum class NodeKind : std::uint8_t {
  kernel,
  copy,
  fill,
  host_function,
  record,
  wait,
  allocate,
  free,
  set_flag,
  await_flag,
  empty,
  child
};

std::string_view to_string(NodeKind kind);

/// What a node is and which nodes it comes after.
struct NodeInfo {
  NodeKind kind = NodeKind::empty;
  Name name{};
  std::vector<NodeId> after;
  SourceLocation made;  ///< the call that added it: of the graph, or the captured one
};

struct GraphInfo {
  std::vector<NodeInfo> nodes;

  [[nodiscard]] std::size_t edges() const {
    std::size_t count = 0;
    for (const NodeInfo& node : nodes) count += node.after.size();
    return count;
  }
};

// A node to add, by kind. Bodies run once a launch.

struct KernelNode {
  Name name{};
  LaunchOptions options{};
  Task body{};
};
struct CallNode {
  Name name{};
  CallOptions options{};
  Task body{};
};
struct CopyNode {
  Access to;
  Access from;
  TransferOptions options{};
};
struct FillNode {
  Access region;
  std::uint8_t value = 0;
  TransferOptions options{};
};
/// Each launch records the event anew.
struct RecordNode {
  Handle event = 0;
};
/// Each launch waits for the latest record that the event has then.
struct WaitNode {
  Handle event = 0;
};
/// Each launch allocates the memory, which must have been freed since the launch before.
struct AllocateNode {
  std::uint64_t bytes = 0;
  Name name{};
  bool backed = true;
};
/// Frees memory of an AllocateNode.
struct FreeNode {
  Handle memory = 0;
};
/// Each launch sets the flag.
struct SetFlagNode {
  Handle flag = 0;
  std::uint32_t value = 0;
};
/// Each launch waits until the flag fulfils the condition.
struct AwaitFlagNode {
  Handle flag = 0;
  FlagCondition condition = FlagCondition::greater_or_equal;
  std::uint32_t value = 0;
};
/// Does nothing: joins and forks others.
struct EmptyNode {};
/// All of another graph, as that is now.
struct ChildNode {
  Handle graph = 0;
};

using NodeWork =
    std::variant<KernelNode, CallNode, CopyNode, FillNode, RecordNode, WaitNode, AllocateNode,
                 FreeNode, SetFlagNode, AwaitFlagNode, EmptyNode, ChildNode>;

/// A node that was added.
struct AddedNode {
  NodeId id = 0;
  Handle memory = 0;     ///< of an AllocateNode
  void* data = nullptr;  ///< the bytes behind it
};

}  // namespace millrace
