// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Scripts on simulated machines.

#include "host_call.hpp"
#include "host_threads.hpp"
#include "sync_objects.hpp"

#include <millrace/host.hpp>
#include <millrace/script.hpp>

#include <deque>
#include <string>
#include <utility>

namespace millrace::sim {

/// What a script finds inside a run.
class SimScriptHost final : public ScriptHost {
 public:
  explicit SimScriptHost(Backend& backend) : backend_(backend) {}

  Backend& backend() override { return backend_; }
  Handle start_thread(Name name, std::function<void()> body, const CallSite& site) override {
    return sim::start_thread(name, std::move(body), site);
  }
  void join_thread(Handle thread, const CallSite& site) override { sim::join_thread(thread, site); }
  void raise(Name name, const CallSite& site) override { signal(name).raise(site); }
  void await(Name name, const CallSite& site) override { signal(name).await(site); }
  void work(Duration duration, const CallSite& site) override { sim::work(duration, site); }

 private:
  Signal& signal(Name name) {
    for (Signal& known : signals_) {
      if (known.name() == name) return known;
    }
    return signals_.emplace_back(name);
  }

  Backend& backend_;
  std::deque<Signal> signals_;  // scripts have few; threads keep references while they wait
};

/// The profile that a script asks for: a name, or a file as it is found from here.
std::string profile_of(const Script& script);

}  // namespace millrace::sim
