// SPDX-License-Identifier: Apache-2.0
#include "random_program.hpp"

#include <algorithm>
#include <array>

namespace millrace::test {
namespace {

constexpr std::uint64_t memory_bytes = 48;

}  // namespace

RandomProgram::RandomProgram(std::uint64_t seed) : seed_(seed), random_(seed) {
  make_cast();
  const std::size_t steps = 5 + below(26);
  for (std::size_t i = 0; i < steps; ++i) step();
  for (const Thread& thread : threads_) {
    if (thread.stuck) {
      for (TraceIndex i = static_cast<TraceIndex>(builder_.trace().calls.size()); i-- > 0;) {
        if (builder_.trace().calls[i].thread != thread.index) continue;
        builder_.never_returns(Step::call(i), ObjectKind::signal, 0);
        break;
      }
    }
  }
}

void RandomProgram::make_cast() {
  few_places_ = chance(40);
  const std::size_t streams = 2 + below(3);
  for (std::size_t i = 0; i < streams; ++i) {
    streams_.push_back(builder_.stream("s" + std::to_string(i), chance(40)));
  }
  if (chance(50)) streams_.push_back(builder_.legacy());
  for (std::size_t i = 0; i < 3; ++i) events_.push_back(builder_.event("e" + std::to_string(i)));
  for (const MemoryKind kind :
       {MemoryKind::device, MemoryKind::device, MemoryKind::pinned, MemoryKind::pageable}) {
    const std::string name = "m" + std::to_string(buffers_.size());
    buffers_.push_back(builder_.buffer(name, memory_bytes, kind));
  }
  for (std::size_t i = 0; i < 2; ++i) {
    signals_.push_back(builder_.signal("g" + std::to_string(i)));
    flags_.push_back(builder_.flag("f" + std::to_string(i)));
  }
  mutex_ = builder_.mutex("x");
  threads_.push_back({});
  waiting_.resize(signals_.size());
  raised_.resize(signals_.size());
  while (chance(55) && threads_.size() < 4) threads();
}

void RandomProgram::choose_thread() {
  std::vector<TraceIndex> able;
  for (const Thread& thread : threads_) {
    if (!thread.stuck && !thread.joined) able.push_back(thread.index);
  }
  builder_.on(able.empty() ? 0 : one_of(able));
}

void RandomProgram::step() {
  choose_thread();
  const auto mine = std::find_if(threads_.begin(), threads_.end(), [&](const Thread& thread) {
    return thread.index == builder_.thread();
  });
  if (mine->stuck) return;
  if (few_places_) builder_.at(1 + static_cast<std::uint32_t>(below(6)));
  const std::size_t kind = below(100);
  if (kind < 35) return device_work();
  if (kind < 45) return host_work();
  if (kind < 68) return order();
  if (kind < 76) return memory_life();
  if (kind < 84 && threads_.size() > 1) return signals();
  if (kind < 90) return flags();
  if (kind < 92) return locks();
  if (kind < 95) return graph();
  if (kind < 97) return threads();
  mistakes();
}

TraceAccess RandomProgram::region(TraceIndex memory, AccessMode mode) {
  TraceAccess access = builder_.all(memory, mode);
  if (chance(50)) return access;
  const std::uint64_t a = below(memory_bytes + 1);
  const std::uint64_t b = below(memory_bytes + 1);
  access.begin = std::min(a, b);
  access.end = std::max(a, b);
  if (chance(40)) {
    access.pitch = 1 + below(12);
    access.width = below(access.pitch + 2);
  }
  return access;
}

void RandomProgram::add_accesses(TraceBuilder::Op operation) {
  const std::size_t count = below(4);
  for (std::size_t i = 0; i < count; ++i) {
    const bool old = temporary_.empty() || chance(70);
    const AccessMode mode =
        std::array{AccessMode::read, AccessMode::write, AccessMode::update}[below(3)];
    operation.access(region(old ? one_of(buffers_) : one_of(temporary_), mode));
  }
}

void RandomProgram::device_work() {
  const TraceIndex stream = one_of(streams_);
  const std::string name = "k" + std::to_string(few_places_ ? below(3) : below(1000));
  if (chance(20)) {
    const TraceIndex from = one_of(buffers_);
    const TraceIndex to = one_of(buffers_);
    if (from != to) builder_.copy(stream, from, to, chance(40));
  } else if (chance(20)) {
    add_accesses(builder_.host_function(stream, name));
  } else {
    add_accesses(builder_.kernel(stream, name));
  }
}

void RandomProgram::host_work() {
  const CallKind kind = chance(50) ? CallKind::read : CallKind::write;
  const TraceIndex memory =
      temporary_.empty() || chance(70) ? one_of(buffers_) : one_of(temporary_);
  builder_.host_access(
      kind, region(memory, kind == CallKind::read ? AccessMode::read : AccessMode::write));
}

void RandomProgram::order() {
  const TraceIndex stream = one_of(streams_);
  const TraceIndex event = one_of(events_);
  switch (below(10)) {
    case 0:
    case 1:
    case 2:
      builder_.record(stream, event);
      break;
    case 3:
    case 4:
    case 5:
      builder_.wait(stream, event);
      break;
    case 6:
      builder_.sync_stream(stream);
      break;
    case 7:
      builder_.sync_event(event);
      break;
    case 8:
      chance(50) ? builder_.query_event(event, chance(50))
                 : builder_.query_stream(stream, chance(50));
      break;
    default:
      if (chance(30)) builder_.sync_device();
  }
}

void RandomProgram::memory_life() {
  const TraceIndex stream = one_of(streams_);
  if (temporary_.empty() || chance(45)) {
    const std::string name = "t" + std::to_string(few_places_ ? below(2) : temporary_.size());
    temporary_.push_back(chance(60) ? builder_.alloc(stream, name, memory_bytes)
                                    : builder_.malloc(name, memory_bytes));
  } else if (chance(60)) {
    builder_.free(stream, one_of(temporary_));
  } else {
    builder_.host_free(one_of(temporary_));
  }
}

void RandomProgram::signals() {
  const std::size_t g = below(signals_.size());
  if (chance(55)) {
    builder_.raise(signals_[g]);
    if (waiting_[g].empty()) {
      ++raised_[g];
    } else {
      threads_[waiting_[g].front()].stuck = false;
      waiting_[g].erase(waiting_[g].begin());
    }
    return;
  }
  builder_.await(signals_[g]);
  if (raised_[g] > 0) {
    --raised_[g];
    return;
  }
  const auto mine = std::find_if(threads_.begin(), threads_.end(), [&](const Thread& thread) {
    return thread.index == builder_.thread();
  });
  mine->stuck = true;
  waiting_[g].push_back(static_cast<std::size_t>(mine - threads_.begin()));
}

void RandomProgram::flags() {
  const TraceIndex flag = one_of(flags_);
  const TraceIndex stream = one_of(streams_);
  const auto value = static_cast<std::uint32_t>(below(4));
  if (chance(55)) {
    sets_.push_back({flag, value, builder_.set(stream, flag, value)});
    return;
  }
  const std::uint64_t condition = below(3);
  const auto fits = [&](std::uint32_t is) {
    return condition == 0 ? is >= value : condition == 1 ? is == value : (is & value) != 0;
  };
  std::vector<TraceIndex> fitting;
  for (const Set& set : sets_) {
    if (set.flag == flag && fits(set.value)) fitting.push_back(set.operation);
  }
  if (fits(0)) fitting.push_back(none);
  if (!fitting.empty()) builder_.await(stream, flag, condition, value, one_of(fitting));
}

void RandomProgram::locks() {
  builder_.lock(mutex_);
  if (chance(50)) host_work();
  if (chance(50)) device_work();
  builder_.unlock(mutex_);
}

void RandomProgram::graph() {
  const TraceIndex stream = one_of(streams_);
  const TraceIndex launch = builder_.launch_graph();
  std::vector<TraceIndex> nodes;
  const std::size_t count = 1 + below(4);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<TraceIndex> after;
    for (const TraceIndex node : nodes) {
      if (chance(40)) after.push_back(node);
    }
    TraceBuilder::Op node = builder_.node(launch, stream, "n" + std::to_string(i), after);
    add_accesses(node);
    nodes.push_back(node);
  }
}

void RandomProgram::threads() {
  const std::size_t last = threads_.size() - 1;
  if (last > 0 && chance(50) && !threads_[last].stuck && !threads_[last].joined &&
      threads_[last].index != builder_.thread()) {
    builder_.join(threads_[last].index);
    threads_[last].joined = true;
  } else if (threads_.size() < 4) {
    threads_.push_back(
        {builder_.start_thread("t" + std::to_string(threads_.size())), false, false});
  }
}

void RandomProgram::mistakes() {
  if (chance(50)) {
    builder_.destroy_event(events_.front());
    builder_.use_destroyed(CallKind::wait, ObjectKind::event, events_.front());
  } else {
    builder_.kernel(one_of(streams_), "stuck").never();
  }
}

}  // namespace millrace::test
