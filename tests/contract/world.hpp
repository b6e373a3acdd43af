// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The worlds that the contract suite runs in, and what its tests say in each of them alike.

#include <millrace/check.hpp>
#include <millrace/device.hpp>
#include <millrace/error.hpp>
#include <millrace/event.hpp>
#include <millrace/flag.hpp>
#include <millrace/graph.hpp>
#include <millrace/guard.hpp>
#include <millrace/memory.hpp>
#include <millrace/stream.hpp>
#include <millrace/stream_pool.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace millrace::contract {

using namespace std::chrono_literals;

/// Opened once, by any host thread; host functions may wait for it.
class Latch {
 public:
  virtual ~Latch() = default;
  virtual void open() = 0;
  virtual void wait() = 0;
  [[nodiscard]] virtual bool is_open() = 0;
};

/// A device type, with host threads and time of its own.
class World {
 public:
  virtual ~World() = default;
  /// What test reports call it.
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view type() const = 0;
  [[nodiscard]] virtual int device_count() const = 0;
  /// Whether it does what an H200 was seen to do where CUDA's contract leaves a choice.
  [[nodiscard]] virtual bool is_measured() const = 0;
  /// Runs `body` as the main host thread of a fresh machine; returns what the checker found.
  virtual std::vector<Finding> run(int devices, const std::function<void()>& body) = 0;
  virtual void pause(Duration duration) = 0;
  virtual Time now() = 0;
  /// Starts a host thread; calling what it returns joins the thread.
  virtual std::function<void()> start(std::function<void()> body) = 0;
  virtual std::shared_ptr<Latch> make_latch() = 0;
};

/// All worlds that there are here: a device type without a device has none.
const std::vector<World*>& worlds();
World* ideal_world();  ///< simulated, by the letter of CUDA's contract
World* h200_world();   ///< simulated, as an H200 was measured
/// Devices of that type outside of runs, with the operating system's threads and time.
std::unique_ptr<World> ordinary_world(std::string_view type);
/// The one whose run the caller is in.
World& world();

/// Lets `body` run machines in each world, as one section of the test case each.
void in_every_world(const std::function<void()>& body);
/// Runs `body` in each world, as one section of the test case each.
void on_every_backend(const std::function<void()>& body);
/// The same on a machine of several devices; worlds with fewer take no part.
void on_every_backend(int devices, const std::function<void()>& body);
/// The same, and then looks at what the checker found.
void check_on_every_backend(const std::function<void()>& body,
                            const std::function<void(const std::vector<Finding>&)>& look);

/// The device of that number in the current world.
Device device(int index);

/// A host function that holds a stream busy until it is opened, at the latest at the end of the
/// scope.
class Gate {
 public:
  [[nodiscard]] explicit Gate(const Stream& stream);
  ~Gate() { open(); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void open() { latch_->open(); }
  [[nodiscard]] bool is_open() const { return latch_->is_open(); }

 private:
  std::shared_ptr<Latch> latch_;
};

/// Whether `call` returns only after the gate has been opened, which a watchdog does after a while.
bool blocks(Gate& gate, const std::function<void()>& call);

/// Enough time for everything that can go on to go on.
void settle();

/// The code of the Error that `call` throws; Success if it throws none.
Errc code_of(const std::function<void()>& call);
/// The message of the Error that `call` throws; empty if it throws none.
std::string message_of(const std::function<void()>& call);

}  // namespace millrace::contract
