// SPDX-License-Identifier: Apache-2.0
#include "copy_engines.hpp"

namespace millrace::sim {

void CopyEngine::ready(const Copy& copy) {
  Key key{0, copy.serial};
  if (order_ == EngineOrder::readiness) key = {++readied_, 0};
  // Lower is more urgent; shifted so that it is never negative.
  if (order_ == EngineOrder::priority)
    key.first = static_cast<std::uint64_t>(std::int64_t{copy.priority} + 64);
  waiting_.push({key, copy.slot});
}

std::uint32_t CopyEngine::serve() {
  if (busy_ || waiting_.empty()) return no_slot;
  busy_ = true;
  const std::uint32_t slot = waiting_.top().slot;
  waiting_.pop();
  return slot;
}

}  // namespace millrace::sim
