// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The characters and colours of a timeline.

#include "render/lanes.hpp"
#include "render/look.hpp"

#include <array>
#include <string_view>

namespace millrace::cli {

struct Shapes {
  std::string_view left, right;  ///< ends of a span
  std::string_view wait, wait_for_ever;
  std::string_view record, held_nothing, instant, call, calls;
  std::string_view failed;
  std::string_view finding;                 ///< behind the names of what has a part in a finding
  std::array<std::string_view, 7> body;     ///< by Shape, up to host_call
  std::array<std::string_view, 7> density;  ///< from nearly idle to busy
};

const Shapes& shapes(bool ascii);

/// The colour of a span.
Paint paint_of(const Trace& trace, const Span& span);

}  // namespace millrace::cli
