// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Buffers: memory of a device or the host, and regions of it; at once or in a stream's order.

#include <millrace/access.hpp>
#include <millrace/device.hpp>
#include <millrace/memory_pool.hpp>
#include <millrace/name.hpp>
#include <millrace/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

namespace millrace {

struct BufferOptions {
  MemoryKind kind = MemoryKind::device;
  std::optional<Device> device{};  ///< when not given: the pool's, the stream's, the current one
  /// Allocates in the order of this stream, and frees so too: only work that comes after the one
  /// and before the other, in the stream itself or by events, may use the memory.
  std::optional<Stream> stream{};
  std::optional<MemoryPool> pool{};  ///< with a stream: not its device's current pool
  Name name{};                       ///< what reports call it
};

/// Untyped memory; what Buffer<T> stands on. Copies share it, there is no empty one, and the last
/// to go frees it: in the order of its stream, where it was made in one's, else at once, as
/// cudaFree, which orders nothing: synchronize with its users before.
class Memory {
 public:
  /// `count` objects of `size` bytes each. Throws Error: MemoryAllocation when there is no room,
  /// InvalidValue for memory of the host in a stream's order, a pool without a stream, or a device
  /// that is another than the pool's or the stream's.
  Memory(std::uint64_t count, std::uint64_t size, const BufferOptions& options,
         SourceLocation where);
  Memory(const Memory&) noexcept = default;
  Memory& operator=(const Memory&) noexcept = default;
  ~Memory() = default;

  [[nodiscard]] Handle handle() const noexcept;
  [[nodiscard]] std::uint64_t bytes() const noexcept;
  [[nodiscard]] MemoryKind kind() const noexcept;
  [[nodiscard]] Device device() const noexcept;
  /// The bytes behind it, for bodies of operations; on cuda a device pointer for device memory.
  [[nodiscard]] void* data() const noexcept;
  /// Where its device sees it: that of earlier memory when its bytes are used again. 0: nowhere.
  [[nodiscard]] std::uint64_t address() const noexcept;
  /// Frees it at once, as cudaFree, however it was made. Throws Error{InvalidValue} when it was
  /// freed before.
  void free(SourceLocation where) const;
  /// Frees it in the order of `stream`, however it was made. Throws Error: InvalidValue when it was
  /// freed before or is the host's, NotSupported for managed memory.
  void free(const Stream& stream, SourceLocation where) const;
  /// Tells the checker that the calling host thread touches `region` now; device memory:
  /// Error{InvalidValue}.
  void host_access(AccessMode mode, const Access& region, SourceLocation where) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// `count` objects of a trivially copyable type. See Memory for sharing and freeing.
/// In declarations (`.reads = {a}`) a buffer stands for all of it.
template <typename T>
  requires std::is_trivially_copyable_v<T>
class Buffer {
 public:
  explicit Buffer(std::size_t count, const BufferOptions& options = {},
                  SourceLocation where = SourceLocation::current())
      : memory_(count, sizeof(T), options, where), count_(count) {}
  Buffer(std::size_t count, MemoryKind kind, SourceLocation where = SourceLocation::current())
      : Buffer(count, BufferOptions{.kind = kind}, where) {}
  Buffer(std::size_t count, MemoryKind kind, const Device& device,
         SourceLocation where = SourceLocation::current())
      : Buffer(count, BufferOptions{.kind = kind, .device = device}, where) {}

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] MemoryKind kind() const noexcept { return memory_.kind(); }
  [[nodiscard]] Device device() const noexcept { return memory_.device(); }
  [[nodiscard]] Handle handle() const noexcept { return memory_.handle(); }
  [[nodiscard]] std::uint64_t address() const noexcept { return memory_.address(); }

  /// Frees it for all copies before the last one goes. See Memory::free.
  void free(SourceLocation where = SourceLocation::current()) const { memory_.free(where); }
  void free(const Stream& stream, SourceLocation where = SourceLocation::current()) const {
    memory_.free(stream, where);
  }

  /// All of it.
  operator Access() const noexcept {  // NOLINT(google-explicit-constructor)
    return Access{memory_.handle(), 0, memory_.bytes()};
  }
  /// The elements [first, first + count).
  [[nodiscard]] Access range(std::size_t first, std::size_t count) const noexcept {
    return Access{memory_.handle(), bytes(first), sum(bytes(first), bytes(count))};
  }
  /// A 2D region: `height` rows of `width` elements from `offset` on, `pitch` elements apart.
  [[nodiscard]] Access tile(std::size_t offset, std::size_t width, std::size_t pitch,
                            std::size_t height) const noexcept {
    const std::uint64_t rows =
        height == 0 ? 0 : sum(product(height - 1, bytes(pitch)), bytes(width));
    return Access{memory_.handle(), bytes(offset), sum(bytes(offset), rows), bytes(pitch),
                  bytes(width)};
  }

  /// The elements, for bodies of operations, which declare their accesses: not told to the checker.
  [[nodiscard]] std::span<T> view() const noexcept {
    return {static_cast<T*>(memory_.data()), count_};
  }
  /// The elements for the host to read now; told to the checker. Device memory: InvalidValue.
  [[nodiscard]] std::span<const T> read(SourceLocation where = SourceLocation::current()) const {
    memory_.host_access(AccessMode::read, *this, where);
    return view();
  }
  /// The elements for the host to write now; told to the checker. Device memory: InvalidValue.
  [[nodiscard]] std::span<T> write(SourceLocation where = SourceLocation::current()) const {
    memory_.host_access(AccessMode::write, *this, where);
    return view();
  }

 private:
  // As large as can be where it would overflow, so that a region too large stays too large.
  static constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) noexcept {
    return a != 0 && b > most / a ? most : a * b;
  }
  static constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept {
    return b > most - a ? most : a + b;
  }
  static constexpr std::uint64_t bytes(std::uint64_t elements) noexcept {
    return product(elements, sizeof(T));
  }
  static constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

  Memory memory_;
  std::size_t count_;
};

}  // namespace millrace
