// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Operations as the backend hands them to the engine, and how it refers to them afterwards.

#include "device_model/demand.hpp"

#include <millrace/backend.hpp>
#include <millrace/error.hpp>
#include <millrace/task.hpp>
#include <millrace/time.hpp>
#include <millrace/trace.hpp>

#include <cstdint>
#include <functional>

namespace millrace::sim {

/// An operation for ever: `serial` counts all operations, so a slot used again is told apart.
struct OperationRef {
  std::uint32_t slot = 0;
  std::uint64_t serial = 0;  ///< 0: none
  TraceIndex traced = none;
};

/// What an operation must wait for beside its stream.
struct Prerequisite {
  OperationRef operation;
  ConstraintKind kind = ConstraintKind::record_wait;
};

/// An operation as the backend hands it over.
struct NewOperation {
  std::uint32_t stream = 0;
  OperationKind kind = OperationKind::kernel;
  Duration duration{};
  TraceIndex traced = none;
  TraceIndex call = none;    ///< the host call that enqueues it
  std::uint32_t object = 0;  ///< flag (set_flag, await_flag) or event (record)
  std::uint32_t value = 0;   ///< set_flag, await_flag
  FlagCondition condition = FlagCondition::greater_or_equal;
  Errc fault = Errc::Success;  ///< ends by this fault of its device
  Demand demand{};             ///< what the device model needs to know
  bool fifo = true;            ///< false: a node inside a graph, ordered by its prerequisites alone
  Task body{};
  std::function<void(Errc)> callback{};  ///< a host function that runs after a fault too
};

/// The same operation without its body or callback.
NewOperation without_body(const NewOperation& operation);

}  // namespace millrace::sim
