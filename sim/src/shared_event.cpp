// SPDX-License-Identifier: Apache-2.0
#include "shared_event.hpp"

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/permissions.hpp>
#include <boost/interprocess/shared_memory_object.hpp>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>
#include <string_view>
#include <system_error>

namespace millrace::sim {
namespace {

namespace ipc = boost::interprocess;

constexpr std::uint64_t handle_magic = 0x3176'4572'6c6c'694d;  // "MillrEv1"
constexpr std::uint64_t layout_magic = 0x3176'6452'6c6c'694d;  // "MillRdv1"

/// What Linux says of a process.
struct ProcessStatus {
  char state = 'X';
  std::uint64_t started = 0;
};

ProcessStatus status_of(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t behind_name = text.rfind(')');
  if (behind_name == std::string::npos) return {};
  std::istringstream fields(text.substr(behind_name + 1));
  ProcessStatus status;
  fields >> status.state;
  constexpr int fields_between = 18;
  std::string skipped;
  for (int i = 0; i < fields_between; ++i) fields >> skipped;
  fields >> status.started;
  return status;
}

/// What the names of all events begin with that this process can open. Process numbers mean
/// something within one namespace only, and several may share their memory.
std::string prefix() {
  std::error_code none;
  const std::string space = std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
  const std::size_t number = space.find_first_of("0123456789");
  const std::size_t end = space.find_first_not_of("0123456789", number);
  return "millrace-" + (number == std::string::npos ? "0" : space.substr(number, end - number)) +
         "-";
}

/// A handle's bytes.
struct HandleBytes {
  std::uint64_t magic = handle_magic;
  std::uint64_t started = 0;
  std::uint64_t number = 0;
  std::int64_t exported_ns = 0;
  std::int32_t process = 0;
  std::uint32_t zero = 0;
  std::array<std::uint64_t, 2> zeros{};
  std::uint64_t checksum = 0;

  [[nodiscard]] std::uint64_t sum() const {
    std::uint64_t hash = 0xcbf2'9ce4'8422'2325U;  // FNV-1a, a word at a time
    for (const std::uint64_t word :
         {magic, started, number, static_cast<std::uint64_t>(exported_ns),
          static_cast<std::uint64_t>(process), std::uint64_t{zero}, zeros[0], zeros[1]}) {
      hash = (hash ^ word) * 0x100'0000'01b3U;
    }
    return hash;
  }
};
static_assert(sizeof(HandleBytes) == sizeof(IpcEventHandle));

/// Takes away what processes have left that were killed, and what this one has, if it ran another
/// program before.
void sweep() {
  const std::string ours = prefix();
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", ignored)) {
    const std::string name = entry.path().filename().string();
    Process owner;
    unsigned long long started = 0;
    if (!name.starts_with(ours) ||
        std::sscanf(name.c_str() + ours.size(), "%d-%llu-", &owner.number, &started) != 2) {
      continue;
    }
    owner.started = started;
    if (owner == Process::self() || !owner.is_alive())
      ipc::shared_memory_object::remove(name.c_str());
  }
}

}  // namespace

/// Asked anew after a fork.
Process Process::self() {
  static std::atomic<std::int32_t> asked{0};
  static std::atomic<std::uint64_t> started{0};
  const std::int32_t number = ::getpid();
  if (asked != number) {
    started = status_of("self").started;
    asked = number;
  }
  return {number, started};
}

bool Process::is_alive() const {
  const ProcessStatus status = status_of(std::to_string(number));
  return status.started == started && status.state != 'Z' && status.state != 'X';
}

IpcEventHandle SharedEventName::handle() const {
  HandleBytes bytes;
  bytes.started = exporter.started;
  bytes.number = number;
  bytes.exported_ns = exported.ns;
  bytes.process = exporter.number;
  bytes.checksum = bytes.sum();
  return std::bit_cast<IpcEventHandle>(bytes);
}

std::optional<SharedEventName> SharedEventName::read(const IpcEventHandle& handle) {
  const auto bytes = std::bit_cast<HandleBytes>(handle);
  if (bytes.magic != handle_magic || bytes.checksum != bytes.sum()) return std::nullopt;
  return SharedEventName{{bytes.process, bytes.started}, bytes.number, Time{bytes.exported_ns}};
}

std::string SharedEventName::text() const {
  return prefix() + std::to_string(exporter.number) + "-" + std::to_string(exporter.started) + "-" +
         std::to_string(number);
}

/// Records stand in a ring by number; one whose place was taken is complete, or was overrun.
struct SharedEvent::Layout {
  struct Place {
    std::atomic<std::uint64_t> number{0};  // written last, read first and last
    std::atomic<std::int32_t> owner{0};
    std::atomic<std::uint64_t> owner_started{0};
    std::atomic<std::int64_t> outcome{0};
  };

  static constexpr std::int64_t pending = -1;
  static constexpr std::int64_t lost = -2;

  static void raise(std::atomic<std::uint64_t>& maximum, std::uint64_t number) {
    std::uint64_t former = maximum;
    while (former < number && !maximum.compare_exchange_weak(former, number)) {
    }
  }
  Place& place(std::uint64_t number) { return places[number % capacity]; }
  void decide(std::uint64_t number, std::int64_t outcome) {
    Place& found = place(number);
    if (found.number == number) found.outcome = outcome;
  }

  const std::uint64_t magic = layout_magic;
  std::atomic<bool> is_abandoned{false};
  std::atomic<std::uint64_t> begun{0};
  std::atomic<std::uint64_t> latest{0};
  std::atomic<std::uint64_t> overrun{0};  // the last one whose place was taken while it was pending
  std::array<Place, capacity> places;

  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
};

SharedEvent::SharedEvent(SharedEventName name, ipc::mapped_region region)
    : name_(name), region_(std::move(region)) {}

SharedEvent::~SharedEvent() = default;

std::unique_ptr<SharedEvent> SharedEvent::create() {
  static std::atomic<std::uint64_t> created{0};
  const std::uint64_t number = ++created;
  if (number == 1) sweep();
  const SharedEventName name{Process::self(), number, {}};
  ipc::shared_memory_object memory(ipc::create_only, name.text().c_str(), ipc::read_write,
                                   ipc::permissions(0600));
  try {
    memory.truncate(sizeof(Layout));
    ipc::mapped_region region(memory, ipc::read_write);
    ::new (region.get_address()) Layout;
    return std::unique_ptr<SharedEvent>(new SharedEvent(name, std::move(region)));
  } catch (...) {
    ipc::shared_memory_object::remove(name.text().c_str());
    throw;
  }
}

std::unique_ptr<SharedEvent> SharedEvent::open(const SharedEventName& name) try {
  if (!name.exporter.is_alive()) {
    ipc::shared_memory_object::remove(name.text().c_str());
    return nullptr;
  }
  const ipc::shared_memory_object memory(ipc::open_only, name.text().c_str(), ipc::read_write);
  ipc::offset_t bytes = 0;
  if (!memory.get_size(bytes) || bytes < static_cast<ipc::offset_t>(sizeof(Layout))) return nullptr;
  ipc::mapped_region region(memory, ipc::read_write);
  std::unique_ptr<SharedEvent> opened(new SharedEvent(name, std::move(region)));
  if (opened->layout().magic != layout_magic || opened->is_abandoned()) return nullptr;
  return opened;
} catch (const ipc::interprocess_exception&) {
  return nullptr;
}

std::uint64_t SharedEvent::latest() const { return layout().latest; }

SharedEvent::Record SharedEvent::record(std::uint64_t number) const {
  const Layout::Place& place = layout().place(number);
  const std::uint64_t before = place.number;
  const Process owner{place.owner, place.owner_started};
  const std::int64_t outcome = place.outcome;
  if (before != number || place.number != number) {
    const bool overrun = number <= layout().overrun;
    return {overrun ? Record::State::lost : Record::State::complete, {}, owner};
  }
  if (outcome == Layout::lost) return {Record::State::lost, {}, owner};
  if (outcome == Layout::pending) return {Record::State::pending, {}, owner};
  return {Record::State::complete, Time{outcome}, owner};
}

bool SharedEvent::has_room() const {
  const std::uint64_t next = layout().begun + 1;
  if (next <= capacity) return true;
  const Record replaced = record(next - capacity);
  return replaced.state != Record::State::pending || !replaced.owner.is_alive();
}

std::uint64_t SharedEvent::begin() {
  const std::uint64_t number = ++layout().begun;
  const Process self = Process::self();
  Layout::Place& place = layout().place(number);
  const std::uint64_t replaced = place.number.exchange(0);
  if (place.outcome == Layout::pending) Layout::raise(layout().overrun, replaced);
  place.owner = self.number;
  place.owner_started = self.started;
  place.outcome = Layout::pending;
  place.number = number;
  Layout::raise(layout().latest, number);
  return number;
}

void SharedEvent::complete(std::uint64_t number, Time at) { layout().decide(number, at.ns); }

void SharedEvent::lose(std::uint64_t number) { layout().decide(number, Layout::lost); }

void SharedEvent::abandon() {
  layout().is_abandoned = true;
  ipc::shared_memory_object::remove(name_.text().c_str());
}

bool SharedEvent::is_abandoned() const { return layout().is_abandoned; }

}  // namespace millrace::sim
