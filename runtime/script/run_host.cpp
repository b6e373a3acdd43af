// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

namespace millrace::script {

bool Runner::ready(Index thing, const CallSite& site) {
  return program_.things[thing].kind == ThingKind::stream
             ? backend_.query_stream(stream(thing), site)
             : backend_.query_event(state_->handle(thing), site);
}

// Declarations.

void Runner::create(const DeclareBuffers& declaration) {
  MemoryDescription description;
  description.device = declaration.device;
  description.kind = declaration.kind;
  description.bytes = declaration.bytes;
  description.backed = false;
  description.name = state_->names().words[program_.things[declaration.first].name];
  const Allocation made = backend_.allocate(description, declaration_site("buffer"));
  state_->keep(declaration.first, made.memory, declaration.bytes);
}

void Runner::create(const DeclareStreams& declaration) {
  StreamDescription description;
  description.device = declaration.device;
  description.priority = declaration.priority;
  description.blocking = declaration.blocking;
  description.name = state_->names().words[program_.things[declaration.first].name];
  state_->keep(declaration.first, backend_.create_stream(description, declaration_site("stream")));
}

void Runner::create(const DeclareEvents& declaration) {
  EventDescription description;
  description.device = declaration.device;
  description.timing = declaration.timing;
  description.blocking = declaration.blocking;
  description.interprocess = declaration.interprocess;
  description.name = state_->names().words[program_.things[declaration.first].name];
  state_->keep(declaration.first, backend_.create_event(description, declaration_site("event")));
}

void Runner::create(const DeclareFlags& declaration) {
  const Name name = state_->names().words[program_.things[declaration.first].name];
  state_->keep(declaration.first, backend_.create_flag(name, declaration_site("flag")));
}

// Operations of the host.

void Runner::execute(const Sync& sync) {
  if (sync.thing == nothing) {
    backend_.synchronize_device(device_, site("sync device"));
  } else if (program_.things[sync.thing].kind == ThingKind::stream) {
    backend_.synchronize_stream(stream(sync.thing), site("sync"));
  } else {
    backend_.synchronize_event(state_->handle(sync.thing), site("sync"));
  }
}

void Runner::execute(const Query& query) {
  if (ready(query.thing, site("query"))) return;
  last_.code = Errc::NotReady;
  last_.answer = true;
}

void Runner::execute(const Poll& poll) {
  const CallSite where = site("poll");
  while (!ready(poll.thing, where)) {
    if (state_->stopped()) return;
    backend_.idle(where);
  }
}

void Runner::execute(const Touch& touch) {
  const CallSite where = site(touch.write ? "write" : "read");
  const auto all = accesses(touch.first, touch.count, where);
  if (touch.write) {
    backend_.host_access({}, all, where);
  } else {
    backend_.host_access(all, {}, where);
  }
}

void Runner::execute(const Work& work) { state_->host().work(Duration{work.ns}, site("work")); }

void Runner::execute(const Elapsed& elapsed) {
  backend_.elapsed_time(state_->handle(elapsed.start), state_->handle(elapsed.end),
                        site("elapsed"));
}

void Runner::execute(const Malloc& malloc) {
  MemoryDescription description;
  description.device = device_;
  description.kind = malloc.kind;
  description.bytes = malloc.bytes;
  description.backed = false;
  description.name = state_->names().words[program_.things[malloc.memory].name];
  const Allocation made = backend_.allocate(description, site("malloc"));
  state_->keep(malloc.memory, made.memory, malloc.bytes);
}

void Runner::execute(const Free& free) {
  const CallSite where = site("free");
  backend_.free(made(free.memory, where), where);
}

void Runner::execute(const Destroy& destroy) {
  const CallSite where = site("destroy");
  switch (program_.things[destroy.thing].kind) {
    case ThingKind::stream:
      return backend_.destroy_stream(stream(destroy.thing), where);
    case ThingKind::event:
      return backend_.destroy_event(state_->handle(destroy.thing), where);
    default:
      return backend_.destroy_graph(made(destroy.thing, where), where);
  }
}

void Runner::execute(const Raise& raise) {
  state_->host().raise(state_->names().words[raise.signal], site("raise"));
}

void Runner::execute(const Await& await) {
  state_->host().await(state_->names().words[await.signal], site("await"));
}

void Runner::execute(const SetDevice& set) {
  const CallSite where = site("device");
  if (set.device < 0 || set.device >= backend_.device_count()) {
    throw Error(Errc::InvalidDevice, where.call,
                "there is no device " + std::to_string(set.device) + " among " +
                    std::to_string(backend_.device_count()),
                where.where);
  }
  device_ = set.device;
}

void Runner::execute(const Reset&) { backend_.reset_device(device_, site("reset")); }

void Runner::execute(const Join& join) {
  const CallSite where = site("join");
  state_->host().join_thread(made(join.thread, where), where);
}

}  // namespace millrace::script
