// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Programs with a known bug, each with its twin that differs by the cure alone.

#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <functional>
#include <set>
#include <string>

namespace millrace::test {

/// What the programs work with. The device is synchronized before its memory goes.
struct World {
  static constexpr std::size_t floats = 1024;

  Buffer<float> a{floats, {.name = "A"}};
  Buffer<float> b{floats, {.name = "B"}};
  Buffer<float> pinned{floats, {.kind = MemoryKind::pinned, .name = "pinned"}};
  Buffer<float> pageable{floats, {.kind = MemoryKind::pageable, .name = "pageable"}};
  Stream s1{{.name = "s1"}};
  Stream s2{{.name = "s2"}};
  Stream s3{{.name = "s3"}};
  Stream blocking{{.blocking = true, .name = "blocking"}};
  Stream legacy = default_stream();
  Event e{{.name = "e"}};
  Event f{{.name = "f"}};
};

/// The host touches all of it now.
inline void host_reads(const Buffer<float>& buffer,
                       SourceLocation where = SourceLocation::current()) {
  static_cast<void>(buffer.read(where));
}
inline void host_writes(const Buffer<float>& buffer,
                        SourceLocation where = SourceLocation::current()) {
  static_cast<void>(buffer.write(where));
}

/// The program, with the bug or without.
using Program = std::function<void(World& world, bool fixed)>;
using Found = std::set<std::string>;  ///< "race A", "deadlock"

inline Found found(const Program& program, bool fixed) {
  const sim::Report report = sim::run([&] {
    World world;
    program(world, fixed);
    current_device().synchronize();
  });
  Found found;
  for (const Finding& finding : report.findings) {
    const std::string object = finding.object.empty() ? "" : " " + finding.object;
    found.insert(std::string(to_string(finding.kind)) + object);
  }
  return found;
}

/// The bug is found, and in the twin nothing.
inline void check_pair(const Found& expected, const Program& program) {
  CHECK(found(program, false) == expected);
  CHECK(found(program, true) == Found{});
}

}  // namespace millrace::test
