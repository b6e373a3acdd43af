// SPDX-License-Identifier: Apache-2.0
#include "host_call.hpp"

#include <millrace/sim.hpp>

#include <optional>
#include <utility>

namespace millrace::sim {
namespace {

/// The right to be inside an event loop. Loops keep a stack of who is inside them for each
/// operating-system thread, which host threads that left it in another order would corrupt.
class LoopTurn {
 public:
  explicit LoopTurn(FiberHosts& run)
      : inside_(run.inside_loop()), former_(inside_), self_(&run.running()) {
    if (is_free()) inside_ = self_;
  }
  ~LoopTurn() { inside_ = former_; }
  LoopTurn(const LoopTurn&) = delete;
  LoopTurn& operator=(const LoopTurn&) = delete;

  /// A handler may run a loop itself.
  [[nodiscard]] bool is_free() const { return former_ == nullptr || former_ == self_; }

 private:
  HostFiber*& inside_;
  HostFiber* former_;
  HostFiber* self_;
};

std::optional<LoopStep> step(FiberHosts& run, const std::function<LoopStep()>& poll) {
  const LoopTurn turn(run);
  if (!turn.is_free()) return std::nullopt;
  return poll();
}

}  // namespace

std::size_t run_event_loop(const std::function<LoopStep()>& poll, const CallSite& site) {
  FiberHosts& run = run_for(site);
  std::unique_lock<std::mutex> nothing;
  std::size_t handlers = 0;
  while (run.may_go_on()) {
    const LoopStep done = step(run, poll).value_or(LoopStep{});
    handlers += done.handlers;
    if (done.stopped) break;
    if (done.handlers == 0) run.idle(done.next_timer, nothing);
  }
  return handlers;
}

}  // namespace millrace::sim
