// SPDX-License-Identifier: Apache-2.0
#include "copy_engines.hpp"

namespace millrace::sim {

void CopyEngine::ready(const Copy& copy) {
  Key key{0, copy.serial};
  if (order_ == EngineOrder::readiness) key = {++readied_, 0};
  // Lower is more urgent; shifted so that it is never negative.
  if (order_ == EngineOrder::priority) {
    key.first = static_cast<std::uint64_t>(std::int64_t{copy.priority} + 64);
  }
  waiting_.push({key, copy});
}

CopyEngine::Copy CopyEngine::serve() {
  busy_ = true;
  const Copy copy = waiting_.top().copy;
  waiting_.pop();
  return copy;
}

}  // namespace millrace::sim
