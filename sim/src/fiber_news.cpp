// SPDX-License-Identifier: Apache-2.0
//
// Other processes: virtual time waits for them, in real time.
#include "fiber_hosts.hpp"

#include <thread>

namespace millrace::sim {

/// Whether it has heard something, before time goes on up to `to`, that may change what is next.
bool FiberHosts::hear_before(Time to) {
  if (to <= clockwork_->stands_still_at()) return false;
  for (int look = 0; look < looks_for_news; ++look) {
    if (hear()) return true;
  }
  clockwork_->go_on_without_news();
  return false;
}

bool FiberHosts::hear() {
  if (clockwork_->take_news()) return true;
  std::this_thread::sleep_for(news_pause);
  progress_.step();
  return false;
}

}  // namespace millrace::sim
