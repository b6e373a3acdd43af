// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What the runtime keeps for each host thread, and the two steps every public call begins with:
/// find that state, refuse a call made inside an operation's body.

#include <millrace/device.hpp>
#include <millrace/host.hpp>
#include <millrace/stream.hpp>

#include <string>
#include <vector>

namespace millrace {

/// Not-ready answers given to this thread.
struct Polling {
  Handle object = 0;  ///< who gave the last one, if the thread called nothing else since
  int answers = 0;    ///< how many since it last idled, whatever else it called
};

struct HostThread {
  bool in_body = false;  ///< it runs the body of an operation
  Polling polling;
  Errc last_error = Errc::Success;
  std::string type;                  ///< the device type whose backend is not the process's here
  std::shared_ptr<Backend> backend;  ///< the backend of that type; null: there is no such type
  std::vector<Device> devices;       ///< one of each backend used; the current device comes first
  std::vector<Stream> streams;       ///< the current stream of each device used
};

/// A plain pointer, so that it can be read without a guard and in every destructor. Null: the
/// operating-system thread's own state, not made yet. Fibers do not move between threads.
extern constinit thread_local HostThread* current_host_thread;

/// Makes the operating-system thread's own state the current one.
HostThread& use_own_host_thread();

inline HostThread& host_thread() {
  HostThread* const thread = current_host_thread;
  return thread != nullptr ? *thread : use_own_host_thread();
}

[[noreturn]] void refuse_in_body(const char* call, SourceLocation where);

/// The beginning of every public call but the queries.
inline CallSite enter(const char* call, SourceLocation where) {
  HostThread& thread = host_thread();
  if (thread.in_body) refuse_in_body(call, where);
  thread.polling.object = 0;
  return CallSite{call, where};
}

/// A whole query, its beginning included: `query` of `object`. A thread that asks again and again
/// would stop virtual time, since its calls need not take any; so it idles before it asks the same
/// object twice in a row, and after every 64 not-ready answers whatever else it was told between.
bool poll(Backend& backend, Handle object, bool (Backend::*query)(Handle, const CallSite&),
          const char* call, SourceLocation where);

/// The device of that backend which this thread last made current, else its first.
Device last_device_of(const std::shared_ptr<Backend>& backend);
/// As set_device and set_stream, for guards: once the thread has an entry for them, they cannot
/// fail.
void make_current(const Device& device);
void make_current(const Stream& stream);

/// The current stream of this thread on `device`, in the thread's own list.
Stream& current_stream_slot(const Device& device);

/// What a destructor's call of the backend says of itself: `made` is the place of its object.
inline CallSite destructor_site(const char* call, SourceLocation made) {
  return {.call = call, .where = made, .of_destructor = true};
}

/// For destructors: runs `destroy`, which calls the backend. What fails is ignored and does not
/// become the last error: the object may have gone with its run or with its device's reset.
/// Inside an operation's body nothing may be destroyed: the object stays until its run ends.
template <typename Destroy>
void destroy_quietly(Destroy destroy) noexcept {
  HostThread& thread = host_thread();
  if (thread.in_body) {
    thread.last_error = Errc::NotPermitted;
    return;
  }
  const Errc last_error = thread.last_error;
  try {
    destroy();
  } catch (...) {  // whatever it is: a destructor has no one to tell
    thread.last_error = last_error;
  }
}

}  // namespace millrace
