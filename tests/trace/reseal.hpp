// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "byte_reader.hpp"
#include "checksum.hpp"
#include "layout.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace millrace::test {

namespace detail {

/// Gives each block that the directory describes the checksum that it has.
inline void reseal_blocks(std::vector<std::byte>& file, std::size_t directory, std::size_t size) {
  using namespace mtrace;  // NOLINT(google-build-using-namespace)
  const std::span<std::byte> bytes = std::span(file).subspan(directory, size);
  ByteReader in(bytes, directory);
  std::uint64_t offset = header_bytes;
  for (auto tables = in.number<std::uint16_t>(); tables != 0; --tables) {
    in.text();
    const std::uint64_t rows = in.number<std::uint64_t>();
    for (auto columns = in.number<std::uint16_t>(); columns != 0; --columns) {
      in.text();
      in.number<std::uint8_t>();
    }
    for (std::uint64_t block = 0; block < blocks_for(rows); ++block) {
      const std::uint64_t block_bytes = in.number<std::uint64_t>();
      if (block_bytes > directory - offset) return;
      std::byte* sum = bytes.data() + (bytes.size() - in.left());
      in.number<std::uint32_t>();
      store(sum, crc32c(std::span(file).subspan(offset, block_bytes)));
      offset += block_bytes;
    }
  }
}

}  // namespace detail

/// Makes all checksums of a changed trace file right again, as far as its structure can be
/// followed: so that tests get behind them.
inline void reseal(std::vector<std::byte>& file) {
  using namespace mtrace;  // NOLINT(google-build-using-namespace)
  if (file.size() < header_bytes + footer_bytes) return;
  store(file.data() + 12, crc32c(std::span(file).first(12)));
  const std::size_t footer = file.size() - footer_bytes;
  const auto directory = load<std::uint64_t>(file.data() + footer);
  const auto size = load<std::uint64_t>(file.data() + footer + 8);
  if (directory >= header_bytes && directory <= footer && size <= footer - directory) {
    try {
      detail::reseal_blocks(file, directory, size);
    } catch (const TraceFileError&) {  // the reader will say so, too
    }
    store(file.data() + footer + 16, crc32c(std::span(file).subspan(directory, size)));
  }
  store(file.data() + footer + 20, crc32c(std::span(file).subspan(footer, 20)));
}

}  // namespace millrace::test
