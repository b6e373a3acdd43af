// SPDX-License-Identifier: Apache-2.0
#include "new_operation.hpp"

namespace millrace::sim {

/// Names every field, so that the compiler asks what is to become of a new one.
NewOperation without_body(const NewOperation& operation) {
  const auto& [stream, kind, duration, traced, call, object, value, condition, fault, demand, fifo,
               body, callback] = operation;
  static_cast<void>(body);
  static_cast<void>(callback);
  return {.stream = stream,
          .kind = kind,
          .duration = duration,
          .traced = traced,
          .call = call,
          .object = object,
          .value = value,
          .condition = condition,
          .fault = fault,
          .demand = demand,
          .fifo = fifo};
}

}  // namespace millrace::sim
