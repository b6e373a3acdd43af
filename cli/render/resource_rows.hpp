// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What the resources of a device hold over time, as rows of a timeline.

#include "render/lanes.hpp"
#include "render/look.hpp"

#include <millrace/resource_levels.hpp>
#include <millrace/trace.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace millrace::cli {

struct ResourceRow {
  TraceIndex device = 0;
  std::string title;
  Lane lane{};  ///< copy engines: what they copy; queues: what is at the head
  std::vector<ResourceLevel> levels{};  ///< multiprocessors: their warps in use …
  std::uint32_t capacity = 0;           ///< … of so many
};

/// Of those kinds that `look` asks for, by device and kind. `end_ns` ends what never does.
std::vector<ResourceRow> find_resource_rows(const Trace& trace, const Look& look,
                                            std::int64_t end_ns);

}  // namespace millrace::cli
