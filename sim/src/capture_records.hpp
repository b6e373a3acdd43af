// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What the simulated backend keeps of captures, graphs and executables.

#include "backend_records.hpp"
#include "graph_plan.hpp"

#include <memory>
#include <string>
#include <vector>

namespace millrace::sim {

/// One capture, from its begin to its end.
struct CaptureRecord {
  CaptureMode mode = CaptureMode::global;
  TraceIndex thread = none;          ///< the host thread that began it
  std::size_t origin = 0;            ///< the stream that it began on
  std::vector<std::size_t> members;  ///< the streams in it, the origin first
  std::size_t graph = 0;
  std::vector<NodeId> added;  ///< its nodes
  SourceLocation begun;
  bool into_given_graph = false;
  bool ended = false;
  bool spoiled = false;
  std::string reason;  ///< what spoiled it

  [[nodiscard]] bool active() const { return !ended && !spoiled; }
};

struct GraphRecord {
  Origin origin;
  int device = 0;
  GraphBody body;
  StreamRecord builder;  ///< no stream of the program: add_node's, all of whose work becomes nodes
  std::size_t executable = no_index;  ///< made by its first launch
};

struct ExecutableRecord {
  Origin origin;
  int device = 0;
  std::shared_ptr<const GraphPlan> plan;
  OperationRef last;             ///< end of its latest launch …
  std::uint32_t last_queue = 0;  ///< … and where that was
};

}  // namespace millrace::sim
