// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The records of one event as several processes see them: in shared memory, without locks, so that
/// a process that dies holds nobody up.

#include <millrace/backend.hpp>
#include <millrace/time.hpp>

#include <boost/interprocess/mapped_region.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace millrace::sim {

/// A process, told apart from later ones of the same number.
struct Process {
  std::int32_t number = 0;
  std::uint64_t started = 0;  ///< in clock ticks since the machine's start

  static Process self();
  /// False for one that has ended, be it waited for or not.
  [[nodiscard]] bool is_alive() const;
  friend bool operator==(const Process&, const Process&) = default;
};

/// What a handle says.
struct SharedEventName {
  Process exporter;
  std::uint64_t number = 0;  ///< among those of the exporter
  Time exported;             ///< in its virtual time

  [[nodiscard]] IpcEventHandle handle() const;
  /// None for bytes that are no handle of ours.
  static std::optional<SharedEventName> read(const IpcEventHandle& handle);
  /// Of the shared memory.
  [[nodiscard]] std::string text() const;
};

class SharedEvent {
 public:
  /// So many records of one event may be unfinished at once.
  static constexpr std::uint64_t capacity = 64;

  struct Record {
    enum class State : std::uint8_t { pending, complete, lost };
    State state = State::pending;
    Time completed;  ///< where it is complete; Time{} when that was long ago
    Process owner;   ///< whose stream it stands in
  };

  /// A new one, of this process. Throws boost::interprocess::interprocess_exception.
  static std::unique_ptr<SharedEvent> create();
  /// Null when its exporter has destroyed it or has ended.
  static std::unique_ptr<SharedEvent> open(const SharedEventName& name);
  ~SharedEvent();
  SharedEvent(const SharedEvent&) = delete;
  SharedEvent& operator=(const SharedEvent&) = delete;

  [[nodiscard]] const SharedEventName& name() const { return name_; }
  /// The number of the latest record; 0 when never recorded.
  [[nodiscard]] std::uint64_t latest() const;
  [[nodiscard]] Record record(std::uint64_t number) const;

  /// Whether a record more can be told apart from the unfinished ones.
  [[nodiscard]] bool has_room() const;
  /// A new latest record, of this process, pending.
  std::uint64_t begin();
  void complete(std::uint64_t number, Time at);
  /// It will never be complete.
  void lose(std::uint64_t number);

  /// The exporter destroys the event.
  void abandon();
  [[nodiscard]] bool is_abandoned() const;

 private:
  struct Layout;

  SharedEvent(SharedEventName name, boost::interprocess::mapped_region region);
  [[nodiscard]] Layout& layout() const { return *static_cast<Layout*>(region_.get_address()); }

  SharedEventName name_;
  boost::interprocess::mapped_region region_;
};

}  // namespace millrace::sim
