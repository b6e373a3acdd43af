// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The Backend over the simulated devices: validates calls, keeps handles, records the trace,
/// blocks host threads; the engine decides when operations run.

#include "hosts.hpp"
#include "profile.hpp"
#include "recorder.hpp"

#include <millrace/backend.hpp>
#include <millrace/inject.hpp>

#include <memory>
#include <vector>

namespace millrace::sim {

/// What a machine is apart from its profile.
struct Machine {
  int devices = 1;
  std::uint64_t max_operations = 0;  ///< 0: no bound
  Injection inject{};                ///< its devices are checked already
};

/// The backend as the run that owns it sees it.
class SimMachine : public Backend {
 public:
  virtual Clockwork& clockwork() = 0;
  /// Whether no operation is unfinished.
  [[nodiscard]] virtual bool drained() const = 0;
  /// The operations that can never go on and what each waits for: when drained() is false though no
  /// event is left.
  virtual void report_blocked(std::vector<Blocked>& blocked) = 0;
  /// The end of the last operation.
  [[nodiscard]] virtual Time end_of_work() const = 0;
  /// The run is over: every later call fails with InvalidResourceHandle and says so.
  virtual void close() = 0;
};

/// `recorder` and `hosts` must outlive all calls up to close().
std::shared_ptr<SimMachine> make_machine(const Profile& profile, const Machine& machine,
                                         Recorder& recorder, Hosts& hosts);

}  // namespace millrace::sim
