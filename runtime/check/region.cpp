// SPDX-License-Identifier: Apache-2.0
#include "region.hpp"

#include <algorithm>
#include <array>

namespace millrace::checker {
namespace {

/// Rows of equal width, `pitch` apart. One row: the pitch means nothing.
struct Rows {
  std::uint64_t begin = 0;
  std::uint64_t pitch = 0;
  std::uint64_t width = 0;
  std::uint64_t count = 0;

  [[nodiscard]] std::uint64_t last() const { return begin + (count - 1) * pitch; }
  [[nodiscard]] std::uint64_t end() const { return last() + width; }
  [[nodiscard]] ByteRange row(std::uint64_t i) const {
    return {begin + i * pitch, begin + i * pitch + width};
  }
};

using Hull = std::optional<ByteRange>;

Hull join(Hull a, Hull b) {
  if (!a || !b) return a ? a : b;
  return ByteRange{std::min(a->begin, b->begin), std::max(a->end, b->end)};
}

Hull meet(ByteRange a, ByteRange b) {
  const ByteRange both{std::max(a.begin, b.begin), std::min(a.end, b.end)};
  return both.begin < both.end ? Hull{both} : std::nullopt;
}

/// A 2D region is full rows and perhaps a last, shorter one.
std::array<Rows, 2> rows_of(const Region& r) {
  if (r.contiguous()) return {Rows{r.begin, 0, r.end - r.begin, r.empty() ? 0U : 1U}, Rows{}};
  const std::uint64_t whole = (r.end - r.begin) / r.pitch;
  const std::uint64_t rest = (r.end - r.begin) % r.pitch;
  if (rest >= r.width) return {Rows{r.begin, r.pitch, r.width, whole + 1}, Rows{}};
  return {Rows{r.begin, r.pitch, r.width, whole},
          Rows{r.begin + whole * r.pitch, 0, rest, rest == 0 ? 0U : 1U}};
}

Hull common(ByteRange range, const Rows& rows) {
  if (rows.count == 1) return meet(range, rows.row(0));
  if (range.end <= rows.begin) return std::nullopt;
  // The first row that ends behind the start of the range, the last one that starts before its end.
  const std::uint64_t reach = rows.begin + rows.width;
  const std::uint64_t first = range.begin < reach ? 0 : (range.begin - reach) / rows.pitch + 1;
  const std::uint64_t last = std::min((range.end - 1 - rows.begin) / rows.pitch, rows.count - 1);
  if (first > last) return std::nullopt;
  return ByteRange{std::max(range.begin, rows.row(first).begin),
                   std::min(range.end, rows.row(last).end)};
}

/// Rows j of `b` against rows j + shift of `a`, for all j; `in_a` is where row j of `b` starts
/// within the pitch that begins with its row of `a`. All these pairs overlap alike.
Hull common_shifted(const Rows& a, const Rows& b, std::uint64_t shift) {
  if (a.count <= shift) return std::nullopt;
  const std::uint64_t pairs = std::min(b.count, a.count - shift);
  return join(meet(a.row(shift), b.row(0)), meet(a.row(shift + pairs - 1), b.row(pairs - 1)));
}

Hull common_same_pitch(const Rows& a, const Rows& b) {
  if (b.begin < a.begin) return common_same_pitch(b, a);
  // Rows are narrower than the pitch, so that a row of b can only meet the row of a in whose pitch
  // it starts, and the one after.
  const std::uint64_t shift = (b.begin - a.begin) / a.pitch;
  return join(common_shifted(a, b, shift), common_shifted(a, b, shift + 1));
}

Hull common_other_pitch(const Rows& few, const Rows& many) {
  if (many.count < few.count) return common_other_pitch(many, few);
  Hull hull;
  for (std::uint64_t i = 0; i < few.count && !hull; ++i) hull = common(few.row(i), many);
  for (std::uint64_t i = few.count; i-- > 0 && hull;) {
    if (const Hull last = common(few.row(i), many)) return join(hull, last);
  }
  return hull;
}

Hull common(const Rows& a, const Rows& b) {
  if (a.count == 0 || b.count == 0 || a.end() <= b.begin || b.end() <= a.begin) return std::nullopt;
  if (a.count == 1) return common(a.row(0), b);
  if (b.count == 1) return common(b.row(0), a);
  return a.pitch == b.pitch ? common_same_pitch(a, b) : common_other_pitch(a, b);
}

}  // namespace

Region Region::of_rows(const TraceAccess& access) {
  const std::uint64_t length = access.end - access.begin;
  if (access.width >= access.pitch) return {access.begin, access.end, 0, 0};
  if (access.width == 0) return {};
  if (length <= access.pitch) {
    return {access.begin, access.begin + std::min(access.width, length), 0, 0};
  }
  const std::uint64_t last = (length - 1) / access.pitch * access.pitch;
  return {access.begin, access.begin + last + std::min(access.width, length - last), access.pitch,
          access.width};
}

std::optional<ByteRange> common_bytes(const Region& a, const Region& b) {
  if (a.end <= b.begin || b.end <= a.begin) return std::nullopt;
  if (a.contiguous() && b.contiguous()) return meet({a.begin, a.end}, {b.begin, b.end});
  Hull hull;
  for (const Rows& rows : rows_of(a)) {
    for (const Rows& others : rows_of(b)) hull = join(hull, common(rows, others));
  }
  return hull;
}

bool contains(const Region& outer, const Region& inner) {
  if (outer == inner || inner.empty()) return true;
  return outer.contiguous() && outer.begin <= inner.begin && inner.end <= outer.end;
}

}  // namespace millrace::checker
