// SPDX-License-Identifier: Apache-2.0
//
// Every behaviour once: depth-first over the points where there is a choice. Source sets (Abdulla,
// Aronsson, Jonsson, Sagonas: Optimal dynamic partial order reduction, POPL 2014) say which other
// choices are needed, sleep sets which of them would only repeat something.
#include "causality.hpp"
#include "plan.hpp"

#include <millrace/error.hpp>

#include <algorithm>
#include <bit>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

namespace millrace::sim::exploring {
namespace {

/// An actor whose next step would repeat what was explored, until something depends on it.
struct Sleeper {
  Actor actor;
  std::vector<Contact> contacts;
};

/// A point of the current execution.
struct Point {
  bool is_answer = false;
  std::uint32_t step = 0;   // that it decides, or is in
  std::vector<Actor> ways;  // of a turn
  std::size_t chosen = 0;
  std::vector<bool> wanted;  // the ways that must be taken …
  std::vector<bool> done;    // … and those that have been
  std::vector<Sleeper> asleep;
  std::vector<Contact> contacts;  // of the way being taken, whatever was answered in it

  [[nodiscard]] bool sleeps(Actor actor) const {
    return std::ranges::any_of(asleep, [&](const Sleeper& one) { return one.actor == actor; });
  }
};

class Exhaustive final : public Plan {
 public:
  bool begin() override;
  std::size_t choose(std::span<const Actor> actors, const Steps& past) override;
  bool finds_done() override;
  void end(const Steps& steps) override;
  [[nodiscard]] double fraction() const override;
  [[nodiscard]] std::string coverage() const override { return "all behaviours seen"; }
  void save(std::ostream& out) const override;
  bool load(std::istream& in) override;

 private:
  Point& add_point();
  void fall_asleep(Point& point, const Steps& past);
  [[nodiscard]] const Point* turn_before(std::size_t depth) const;
  void learn(const Steps& steps);
  void want_reversed(const Causality::Race& race, const Steps& steps);
  bool advance();
  static bool next_way(Point& point);

  std::vector<Point> points_;  // [0, depth_) are the path; beyond, memory to use again
  std::size_t depth_ = 0;
  std::size_t at_ = 0;  // the point that is asked next
  std::vector<std::size_t> point_of_step_;
  std::uint32_t fresh_step_ = 0;  // the first whose races are not known yet
  std::uint32_t step_ = 0;        // the latest chosen
  bool begun_ = false;
  bool finished_ = false;
  bool varies_ = false;
  Causality causality_;
  std::vector<bool> initial_;
};

bool Exhaustive::begin() {
  if (begun_ && !advance()) {
    finished_ = true;
    return false;
  }
  begun_ = true;
  at_ = 0;
  return true;
}

Point& Exhaustive::add_point() {
  if (depth_ == points_.size()) points_.emplace_back();
  Point& fresh = points_[depth_++];
  fresh.ways.clear();
  fresh.wanted.clear();
  fresh.done.clear();
  fresh.asleep.clear();
  fresh.contacts.clear();
  fresh.chosen = 0;
  fresh.is_answer = false;
  return fresh;
}

const Point* Exhaustive::turn_before(std::size_t depth) const {
  while (depth-- > 0) {
    if (!points_[depth].is_answer) return &points_[depth];
  }
  return nullptr;
}

[[noreturn]] void refuse_variation(std::size_t step) {
  throw Error(Errc::IllegalState, "sim::explore",
              "the body does not do the same when the same choices are made: it goes another way "
              "at step " +
                  std::to_string(step) +
                  "; something in it is left to chance, or kept from one execution to the next",
              {});
}

std::size_t Exhaustive::choose(std::span<const Actor> actors, const Steps& past) {
  step_ = static_cast<std::uint32_t>(past.size());
  if (at_ < depth_) {
    const Point& known = points_[at_++];
    if (!known.is_answer && std::ranges::equal(known.ways, actors)) return known.chosen;
    varies_ = true;
    return Chooser::no_one;
  }
  Point& point = add_point();
  ++at_;
  point.step = step_;
  point.ways.assign(actors.begin(), actors.end());
  point.wanted.assign(actors.size(), false);
  point.done.assign(actors.size(), false);
  fall_asleep(point, past);
  const auto awake =
      std::ranges::find_if(point.ways, [&](Actor actor) { return !point.sleeps(actor); });
  if (awake == point.ways.end()) {
    --depth_;
    return Chooser::no_one;
  }
  point.chosen = static_cast<std::size_t>(awake - point.ways.begin());
  point.wanted[point.chosen] = true;
  return point.chosen;
}

/// Who slept before, or was explored there, goes on sleeping while nothing depends on its step.
void Exhaustive::fall_asleep(Point& point, const Steps& past) {
  const Point* const before = turn_before(depth_ - 1);
  if (before == nullptr) return;
  const std::span<const Contact> latest = past.contacts(past.size() - 1);
  const Actor actor = past.actor(past.size() - 1);
  for (const Sleeper& one : before->asleep) {
    if (one.actor != actor && !depend(one.contacts, latest)) point.asleep.push_back(one);
  }
}

bool Exhaustive::finds_done() {
  if (at_ < depth_) {
    varies_ = varies_ || !points_[at_].is_answer;
    return points_[at_++].chosen == 1;
  }
  Point& point = add_point();
  ++at_;
  point.is_answer = true;
  point.step = step_;
  return false;
}

void Exhaustive::end(const Steps& steps) {
  if (varies_ || at_ < depth_) refuse_variation(step_);
  point_of_step_.clear();
  for (std::size_t depth = 0; depth < depth_; ++depth) {
    Point& point = points_[depth];
    if (point.is_answer) continue;
    if (point_of_step_.size() == steps.size()) break;
    if (point.step >= fresh_step_) {
      for (const Contact& contact : steps.contacts(point.step)) {
        if (std::ranges::find(point.contacts, contact) == point.contacts.end()) {
          point.contacts.push_back(contact);
        }
      }
    }
    point_of_step_.push_back(depth);
  }
  learn(steps);
}

void Exhaustive::learn(const Steps& steps) {
  causality_.follow(steps, [this](std::size_t step) -> std::span<const Actor> {
    return points_[point_of_step_[step]].ways;
  });
  for (const Causality::Race& race : causality_.races()) {
    if (race.later >= fresh_step_) want_reversed(race, steps);
  }
}

/// The later step of the race must also come before the earlier one: some way that can begin such
/// an execution must be taken at the earlier one's point.
void Exhaustive::want_reversed(const Causality::Race& race, const Steps& steps) {
  Point& point = points_[point_of_step_[race.earlier]];
  std::size_t found = point.ways.size();
  std::vector<std::uint32_t> beside;  // what does not come after the earlier one, in order
  for (std::uint32_t step = race.earlier + 1; step <= race.later; ++step) {
    if (step != race.later && causality_.before(race.earlier, step)) continue;
    const bool is_first = std::ranges::none_of(
        beside, [&](std::uint32_t other) { return causality_.before(other, step); });
    beside.push_back(step);
    if (!is_first) continue;
    const auto way = std::ranges::find(point.ways, steps.actor(step));
    if (way == point.ways.end()) continue;
    const auto number = static_cast<std::size_t>(way - point.ways.begin());
    if (point.wanted[number] || point.sleeps(*way)) return;
    if (found == point.ways.size() || step == race.later) found = number;
  }
  if (found != point.ways.size()) point.wanted[found] = true;
}

bool Exhaustive::next_way(Point& point) {
  if (point.is_answer) return point.chosen++ == 0;
  point.done[point.chosen] = true;
  point.asleep.push_back({point.ways[point.chosen], std::move(point.contacts)});
  point.contacts.clear();
  for (std::size_t way = 0; way < point.ways.size(); ++way) {
    if (!point.wanted[way] || point.done[way] || point.sleeps(point.ways[way])) continue;
    point.chosen = way;
    return true;
  }
  return false;
}

/// To the deepest point with a way that is wanted and was not taken.
bool Exhaustive::advance() {
  for (; depth_ > 0; --depth_) {
    if (!next_way(points_[depth_ - 1])) continue;
    fresh_step_ = points_[depth_ - 1].step;
    return true;
  }
  return false;
}

double Exhaustive::fraction() const {
  if (finished_) return 1;
  double share = 1;
  double done = 0;
  for (std::size_t depth = 0; depth < depth_; ++depth) {
    const Point& point = points_[depth];
    const auto wanted = point.is_answer ? 2 : std::ranges::count(point.wanted, true);
    const auto taken = point.is_answer ? static_cast<std::ptrdiff_t>(point.chosen)
                                       : std::ranges::count(point.done, true);
    share /= static_cast<double>(wanted);
    done += share * static_cast<double>(taken);
  }
  return done;
}

void save_contacts(const std::vector<Contact>& contacts, std::ostream& out) {
  out << ' ' << contacts.size();
  for (const Contact& contact : contacts) {
    out << ' ' << contact.id << ' ' << static_cast<int>(contact.thing) << ' '
        << static_cast<int>(contact.how);
  }
}

void load_contacts(std::vector<Contact>& contacts, std::istream& in) {
  std::size_t size = 0;
  in >> size;
  for (std::size_t i = 0; i < size && in; ++i) {
    int thing = 0;
    int how = 0;
    Contact& contact = contacts.emplace_back();
    in >> contact.id >> thing >> how;
    contact.thing = static_cast<Thing>(thing);
    contact.how = static_cast<Touch>(how);
  }
}

void Exhaustive::save(std::ostream& out) const {
  out << depth_;
  for (std::size_t depth = 0; depth < depth_; ++depth) {
    const Point& point = points_[depth];
    out << '\n' << point.is_answer << ' ' << point.step << ' ' << point.chosen;
    save_contacts(point.contacts, out);
    out << ' ' << point.ways.size();
    for (std::size_t way = 0; way < point.ways.size(); ++way) {
      out << ' ' << point.ways[way].key << ' ' << point.wanted[way] << ' ' << point.done[way];
    }
    out << ' ' << point.asleep.size();
    for (const Sleeper& one : point.asleep) {
      out << ' ' << one.actor.key;
      save_contacts(one.contacts, out);
    }
  }
}

bool Exhaustive::load(std::istream& in) {
  std::size_t depth = 0;
  in >> depth;
  for (std::size_t i = 0; i < depth && in; ++i) {
    Point& point = add_point();
    in >> point.is_answer >> point.step >> point.chosen;
    load_contacts(point.contacts, in);
    std::size_t ways = 0;
    in >> ways;
    for (std::size_t way = 0; way < ways && in; ++way) {
      bool wanted = false;
      bool done = false;
      in >> point.ways.emplace_back().key >> wanted >> done;
      point.wanted.push_back(wanted);
      point.done.push_back(done);
    }
    std::size_t sleepers = 0;
    in >> sleepers;
    for (std::size_t s = 0; s < sleepers && in; ++s) {
      Sleeper& one = point.asleep.emplace_back();
      in >> one.actor.key;
      load_contacts(one.contacts, in);
    }
  }
  return static_cast<bool>(in);
}

}  // namespace

std::unique_ptr<Plan> make_exhaustive() { return std::make_unique<Exhaustive>(); }

}  // namespace millrace::sim::exploring
