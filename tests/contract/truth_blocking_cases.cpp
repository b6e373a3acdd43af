// SPDX-License-Identifier: Apache-2.0
// Which calls wait for a busy stream.

#include "truth.hpp"

#include <memory>

namespace millrace::contract {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
using enum MemoryKind;

/// What the calls below work on; made before the stream gets busy.
struct Things {
  explicit Things(const Scene& s)
      : device(s.device),
        on_device(4 * mib, MemoryKind::device, s.device),
        more(4 * mib, MemoryKind::device, s.device),
        host(4 * mib, pageable, s.device),
        pinned_host(4 * mib, pinned, s.device) {
    s.device.synchronize();
  }

  void copy_now(const Access& to, const Access& from) const {
    default_stream(device).copy(to, from, {.synchronous = true});
  }
  void free(const Buffer<char>& buffer) const {
    device.backend().free(buffer.handle(), {"free", SourceLocation::current()});
  }

  Device device;
  Buffer<char> on_device;
  Buffer<char> more;
  Buffer<char> host;
  Buffer<char> pinned_host;
  std::vector<Buffer<char>> made;
  std::unique_ptr<Stream> other = std::make_unique<Stream>(device);
  std::unique_ptr<Event> event = std::make_unique<Event>(EventOptions{.device = device});
};

void allocate_async(const Stream& stream, std::uint64_t bytes) {
  stream.backend().allocate_async(stream.handle(), {.bytes = bytes},
                                  {"allocate_async", SourceLocation::current()});
}

void add_beside(const std::string& call, const std::function<void(Things&)>& made, Truths& to,
                bool only_measured = false) {
  const auto play = [made](bool blocking) {
    return [=](Scene& s) {
      Things things(s);
      Gate gate{blocking ? s.blocking : s.stream};
      return gated(gate, [&] { made(things); });
    };
  };
  to.push_back({"blocks." + call + ".nonblocking-busy", play(false), only_measured});
  to.push_back({"blocks." + call + ".blocking-busy", play(true), only_measured});
}

void add_calls(Truths& to) {
  add_beside(
      "cudaMalloc", [](Things& t) { t.made.emplace_back(mib, MemoryKind::device, t.device); }, to);
  add_beside(
      "cudaFree", [](Things& t) { t.free(t.on_device); }, to, true);
  add_beside(
      "cudaMallocHost", [](Things& t) { t.made.emplace_back(mib, pinned, t.device); }, to);
  add_beside(
      "cudaFreeHost", [](Things& t) { t.free(t.pinned_host); }, to, true);
  add_beside(
      "cudaStreamCreate", [](Things& t) { Stream({.device = t.device}); }, to);
  add_beside(
      "cudaStreamDestroy-other", [](Things& t) { t.other.reset(); }, to);
  add_beside(
      "cudaEventCreate", [](Things& t) { Event({.device = t.device}); }, to);
  add_beside(
      "cudaEventDestroy", [](Things& t) { t.event.reset(); }, to);
  add_beside(
      "cudaDeviceSynchronize", [](Things& t) { t.device.synchronize(); }, to);
  add_beside(
      "cudaMallocAsync-other", [](Things& t) { allocate_async(*t.other, mib); }, to);
  add_beside(
      "cudaStreamQuery-other", [](Things& t) { static_cast<void>(t.other->query()); }, to);
  add_beside(
      "cudaMemGetInfo", [](Things& t) { static_cast<void>(t.device.memory_info()); }, to);
  add_beside(
      "cudaGetDeviceProperties", [](Things& t) { static_cast<void>(t.device.properties()); }, to);
}

void add_synchronous_transfers(Truths& to) {
  add_beside(
      "cudaMemset",
      [](Things& t) {
        default_stream(t.device).fill(t.on_device.range(0, mib), 0, {.synchronous = true});
      },
      to);
  const auto add = [&](const char* call, std::size_t bytes, auto target, auto source) {
    add_beside(
        std::string("cudaMemcpy-") + call,
        [=](Things& t) { t.copy_now((t.*target).range(0, bytes), (t.*source).range(0, bytes)); },
        to);
  };
  add("h2d-pageable-1K", kib, &Things::on_device, &Things::host);
  add("h2d-pageable-4M", 4 * mib, &Things::on_device, &Things::host);
  add("h2d-pinned-4M", 4 * mib, &Things::on_device, &Things::pinned_host);
  add("d2h-pinned-1K", kib, &Things::pinned_host, &Things::on_device);
  add("d2d", mib, &Things::on_device, &Things::more);
  add("h2h", mib, &Things::host, &Things::pinned_host);
}

/// On the busy stream itself.
void add_asynchronous(const std::string& call,
                      const std::function<void(Things&, const Stream&)>& made, Truths& to,
                      bool only_measured = false) {
  to.push_back({"async." + call,
                [made](Scene& s) {
                  Things things(s);
                  Gate gate{s.stream};
                  return gated(gate, [&] { made(things, s.stream); });
                },
                only_measured});
}

void add_asynchronous_copies(Truths& to) {
  const auto add = [&](const std::string& call, std::size_t bytes, auto target, auto source,
                       bool only_measured = false) {
    add_asynchronous(
        call,
        [=](Things& t, const Stream& stream) {
          stream.copy((t.*target).range(0, bytes), (t.*source).range(0, bytes));
        },
        to, only_measured);
  };
  add("memcpy-h2d-pinned-4M", 4 * mib, &Things::on_device, &Things::pinned_host);
  add("memcpy-d2h-pinned-4M", 4 * mib, &Things::pinned_host, &Things::on_device);
  for (const auto& [size, bytes] : {std::pair{"1K", kib},
                                    {"64K", 64 * kib},
                                    {"64K+1", 64 * kib + 1},
                                    {"128K", 128 * kib},
                                    {"512K", 512 * kib},
                                    {"1M", mib},
                                    {"2M", 2 * mib}}) {
    add(std::string("memcpy-h2d-pageable-") + size, bytes, &Things::on_device, &Things::host);
  }
  add("memcpy-h2d-pageable-4M", 4 * mib, &Things::on_device, &Things::host, true);
  add("memcpy-d2h-pageable-4", 4, &Things::host, &Things::on_device, true);
  add("memcpy-d2h-pageable-4M", 4 * mib, &Things::host, &Things::on_device, true);
  add("memcpy-d2d", 4 * mib, &Things::on_device, &Things::more);
  add("memcpy-h2h", mib, &Things::host, &Things::pinned_host);
  add("memcpy-default-kind", mib, &Things::on_device, &Things::pinned_host);
  add("memcpy-zero-bytes", 0, &Things::on_device, &Things::pinned_host);
  add_asynchronous(
      "memcpy2d-h2d-pageable-small",
      [](Things& t, const Stream& stream) {
        stream.copy(t.on_device.tile(0, 32, 64, 16), t.host.tile(0, 32, 64, 16));
      },
      to);
}

void add_other_asynchronous(Truths& to) {
  add_asynchronous(
      "memset", [](Things& t, const Stream& on) { on.fill(t.on_device.range(0, mib), 0); }, to);
  add_asynchronous(
      "memset-host-pinned",
      [](Things& t, const Stream& on) { on.fill(t.pinned_host.range(0, mib), 0); }, to);
  add_asynchronous(
      "mallocAsync", [](Things&, const Stream& on) { allocate_async(on, mib); }, to);
  add_asynchronous(
      "event-record", [](Things&, const Stream& on) { static_cast<void>(on.record_event()); }, to);
  add_asynchronous(
      "hostfn", [](Things&, const Stream& on) { work(on); }, to);
  add_asynchronous(
      "kernel-launch-returns", [](Things&, const Stream& on) { on.launch("empty", {.block = 1}); },
      to);
}

}  // namespace

Truths blocking_truths() {
  Truths all;
  add_calls(all);
  add_synchronous_transfers(all);
  add_asynchronous_copies(all);
  add_other_asynchronous(all);
  return all;
}

}  // namespace millrace::contract
