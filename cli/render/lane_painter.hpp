// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Draws one lane of a timeline.

#include "render/lanes.hpp"
#include "render/line.hpp"
#include "render/ruler.hpp"
#include "render/shapes.hpp"

#include <millrace/resource_levels.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::cli {

/// Which shapes were drawn, for the key below the picture.
struct Used {
  std::array<std::optional<Paint>, 7> body;    // by Shape, in the colour of the last one
  std::array<std::optional<Paint>, 5> copies;  // by Direction
  bool wait = false;
  bool for_ever = false;
  bool density = false;
  bool failed = false;
  bool record = false;
  bool held_nothing = false;
  bool instant = false;
  bool call = false;
  bool calls = false;
  bool finding = false;
  bool levels = false;
};

/// The steps that have a part in a finding.
struct Found {
  std::set<TraceIndex> operations;
  std::set<TraceIndex> calls;

  [[nodiscard]] bool contains(Step step) const {
    return (step.is_call ? calls : operations).count(step.index) != 0;
  }
};

class LanePainter {
 public:
  /// All of them must outlive it.
  LanePainter(const Words& words, const Ruler& ruler, const Found& found, const Look& look,
              Used& used)
      : words_(words),
        ruler_(ruler),
        found_(found),
        look_(look),
        shapes_(shapes(look.ascii)),
        used_(used) {}

  /// The lane's spans, from column `left` of the line on; of a host thread also its moments.
  void draw_spans(const Lane& lane, Line& line, int left) const;
  /// How full something is that holds at most `capacity`: columns as high as it is on average.
  void draw_levels(const std::vector<ResourceLevel>& levels, std::uint32_t capacity, Line& line,
                   int left) const;
  /// The moments of a stream's lane with their names, for a line below. False: there is nothing to
  /// show, or too much.
  bool draw_marks(const Lane& lane, Line& line, int left) const;

 private:
  void draw_wait(const Span& span, Line& line, int left) const;
  void draw_body(const Span& span, Line& line, int left) const;
  void draw_dense(const Lane& lane, Line& line, int left) const;
  void draw_calls(const Lane& lane, Line& line, int left) const;
  void write_centred(Line& line, int begin, int end, std::string_view text,
                     const Paint& paint) const;
  [[nodiscard]] std::string_view density(double share) const;
  [[nodiscard]] bool is_small(const Span& span) const;
  std::string_view note_used(const Span& span) const;
  void note_used(const Mark& mark) const;
  void write_before(Line& line, int column, std::string_view text) const;
  [[nodiscard]] std::string_view glyph(MarkKind kind) const;
  [[nodiscard]] std::string marks_text(const Lane& lane, std::size_t first, std::size_t last,
                                       int room) const;

  const Words& words_;
  const Ruler& ruler_;
  const Found& found_;
  const Look& look_;
  const Shapes& shapes_;
  Used& used_;
};

}  // namespace millrace::cli
