// SPDX-License-Identifier: Apache-2.0
#include "lock_order.hpp"

#include "order.hpp"
#include "walk.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace millrace::checker {
namespace {

/// Whoever holds locks: a host thread, or a host function.
struct Holder {
  TraceIndex thread = none;
  TraceIndex function = none;  // the operation, where it is one

  // clang-tidy 14 misreads a defaulted <=>. NOLINTNEXTLINE(modernize-use-nullptr)
  friend constexpr auto operator<=>(const Holder&, const Holder&) = default;
};

struct Held {
  TraceIndex mutex = none;
  TraceIndex call = none;
};

/// A call that waits while its holder holds locks: for another lock, or for a device.
struct Wait {
  Holder holder;
  TraceIndex call = none;
  std::vector<Held> held;
};

/// Somebody holds a lock and needs another one to go on.
struct Link {
  const Wait* wait = nullptr;
  Held held;
  TraceIndex wanted = none;     // mutex
  TraceIndex wanted_by = none;  // the call that takes it: the waiting one, or in a host function
};

/// All waits under locks, and all locks that host functions take.
class LockUse {
 public:
  explicit LockUse(const Steps& steps) {
    Walk walk(steps.trace());
    for (Step step = walk.next(); step.exists(); step = walk.next()) {
      if (step.is_call) add(steps, step.index);
    }
  }

  [[nodiscard]] const std::vector<Wait>& waits() const { return waits_; }
  [[nodiscard]] const std::vector<TraceIndex>& taken_in_functions() const { return in_functions_; }

 private:
  void add(const Steps& steps, TraceIndex index) {
    const HostCall& call = steps.trace().calls[index];
    const bool waits = synchronizes(call.kind) && call.outcome == CallOutcome::success;
    if (!waits && call.object_kind != ObjectKind::mutex) return;
    const TraceIndex function = steps.inside_of(index);
    const Holder holder{function == none ? call.thread : none, function};
    std::vector<Held>& held = held_[holder];
    if (call.kind == CallKind::unlock) {
      std::erase_if(held, [&](const Held& lock) { return lock.mutex == call.object; });
      return;
    }
    if (!waits && !takes_lock(call)) return;
    if (!held.empty() && call.kind != CallKind::try_lock) waits_.push_back({holder, index, held});
    if (waits) return;
    held.push_back({call.object, index});
    if (function != none && call.kind == CallKind::lock) in_functions_.push_back(index);
  }

  std::map<Holder, std::vector<Held>> held_;
  std::vector<Wait> waits_;
  std::vector<TraceIndex> in_functions_;
};

/// Searches the links for cycles.
class LockCycles {
 public:
  LockCycles(Story& story, const LockUse& use)
      : story_(story),
        trace_(story.trace),
        use_(use),
        order_(order_of(story.steps, Scope::without_locks)) {
    for (const Wait& wait : use.waits()) add_links(wait);
  }

  void search(std::vector<Finding>& findings) {
    for (std::size_t first = 0; first < links_.size(); ++first) {
      path_.assign(1, &links_[first]);
      extend(first, findings);
    }
  }

 private:
  // Of programs with more, the others are like these.
  static constexpr std::size_t most_links = 1000;
  static constexpr std::size_t longest_cycle = 4;
  static constexpr std::size_t most_steps = 1'000'000;

  void add_links(const Wait& wait);
  void add_link(const Link& link);
  void extend(std::size_t first, std::vector<Finding>& findings);
  [[nodiscard]] bool can_meet(const Link& a, const Link& b) const;
  void report(std::vector<Finding>& findings);
  [[nodiscard]] std::string sentence(const Link& link) const;
  [[nodiscard]] std::string mutex(TraceIndex index) const {
    return trace_.object_name(ObjectKind::mutex, index);
  }

  Story& story_;
  const Trace& trace_;
  const LockUse& use_;
  Stamps order_;
  std::vector<Link> links_;
  std::vector<const Link*> path_;
  std::set<std::set<TraceIndex>> reported_;
  std::size_t steps_left_ = most_steps;
};

void LockCycles::add_links(const Wait& wait) {
  const HostCall& call = trace_.calls[wait.call];
  for (const Held& held : wait.held) {
    if (call.kind == CallKind::lock) add_link({&wait, held, call.object, wait.call});
    if (!synchronizes(call.kind)) continue;
    for (const TraceIndex taken : use_.taken_in_functions()) {
      // The synchronization covers the function, which may not have run when the lock was taken.
      const Step function = Step::operation(story_.steps.inside_of(taken));
      if (order_.before(function, Step::call(wait.call)) &&
          !order_.before(function, Step::call(held.call))) {
        add_link({&wait, held, trace_.calls[taken].object, taken});
      }
    }
  }
}

/// Of links alike that know the same of other threads, the last one: of it the others know least,
/// so that it meets all that the others meet.
void LockCycles::add_link(const Link& link) {
  const auto known = [&](const Link& of) { return order_.calls[of.held.call].begin_clock; };
  const auto found = std::find_if(links_.begin(), links_.end(), [&](const Link& other) {
    return other.wait->holder == link.wait->holder && other.held.mutex == link.held.mutex &&
           other.wanted == link.wanted && known(other) == known(link);
  });
  if (found != links_.end()) {
    *found = link;
  } else if (links_.size() < most_links) {
    links_.push_back(link);
  }
}

/// Whether both may hold their locks and wait at one time.
bool LockCycles::can_meet(const Link& a, const Link& b) const {
  const Holder& one = a.wait->holder;
  const Holder& other = b.wait->holder;
  const bool both_functions = one.function != none && other.function != none;
  if (one == other || both_functions) return false;  // host functions are served one at a time
  for (const Held& mine : a.wait->held) {
    for (const Held& theirs : b.wait->held) {
      if (mine.mutex == theirs.mutex) return false;
    }
  }
  return !order_.before(Step::call(a.wait->call), Step::call(b.held.call)) &&
         !order_.before(Step::call(b.wait->call), Step::call(a.held.call));
}

/// Goes on from the last link of the path; the first one is that with the smallest number.
void LockCycles::extend(std::size_t first, std::vector<Finding>& findings) {
  if (path_.back()->wanted == path_.front()->held.mutex) return report(findings);
  if (path_.size() == longest_cycle) return;
  for (std::size_t next = first + 1; next < links_.size(); ++next) {
    if (steps_left_ == 0) return;
    --steps_left_;
    const Link& link = links_[next];
    if (link.held.mutex != path_.back()->wanted) continue;
    const bool fits = std::all_of(path_.begin(), path_.end(),
                                  [&](const Link* other) { return can_meet(*other, link); });
    if (!fits) continue;
    path_.push_back(&link);
    extend(first, findings);
    path_.pop_back();
  }
}

/// "thread main holds mutex a (line 3) and wants mutex b (line 4)".
std::string LockCycles::sentence(const Link& link) const {
  const Names& names = story_.names;
  const Holder& holder = link.wait->holder;
  std::string text = holder.function != none
                         ? names.label(Step::operation(holder.function))
                         : "thread " + trace_.object_name(ObjectKind::thread, holder.thread);
  text += " holds mutex " + mutex(link.held.mutex) + " (" +
          names.place(Step::call(link.held.call)) + ") and ";
  const std::string wanted =
      "mutex " + mutex(link.wanted) + " (" + names.place(Step::call(link.wanted_by)) + ")";
  if (link.wanted_by == link.wait->call) return text + "wants " + wanted;
  return text + "waits in " + names.label(Step::call(link.wait->call)) + " for " +
         names.with_place(Step::operation(story_.steps.inside_of(link.wanted_by))) +
         ", which wants " + wanted;
}

/// One finding for each set of locks.
void LockCycles::report(std::vector<Finding>& findings) {
  std::set<TraceIndex> mutexes;
  for (const Link* link : path_) mutexes.insert(link->wanted);
  if (!reported_.insert(std::move(mutexes)).second) return;
  Finding finding;
  finding.kind = FindingKind::deadlock;
  finding.schedule_dependent = true;
  finding.first = story_.names.site(Step::call(path_.front()->held.call), "holds");
  finding.second = story_.names.site(Step::call(path_.back()->wanted_by), "wants");
  finding.explanation = "Nothing was stuck in this run, but it may be in another one: ";
  for (const Link* link : path_) {
    finding.explanation += sentence(*link) + (link == path_.back() ? "." : "; ");
  }
  finding.explanation += " Nothing keeps them from coming there at one time.";
  const bool device = std::any_of(path_.begin(), path_.end(), [](const Link* link) {
    return link->wanted_by != link->wait->call;
  });
  finding.fix = device ? "give up mutex " + mutex(path_.front()->held.mutex) +
                             " before the synchronization, or do not lock in the host function"
                       : "take the locks in the same order everywhere, or at once with "
                         "std::scoped_lock";
  findings.push_back(std::move(finding));
}

}  // namespace

bool waits_under_locks(const Steps& steps) {
  return !steps.trace().mutexes.empty() && !LockUse(steps).waits().empty();
}

void add_lock_cycles(Story& story, std::vector<Finding>& findings) {
  if (story.trace.mutexes.empty() || !story.trace.blocked.empty()) return;
  const LockUse use(story.steps);
  if (use.waits().empty()) return;
  LockCycles(story, use).search(findings);
}

}  // namespace millrace::checker
