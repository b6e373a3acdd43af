// SPDX-License-Identifier: Apache-2.0
#include "render/ruler.hpp"

#include "render/text.hpp"

#include <millrace/time.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace millrace::cli {

double Ruler::ns_per_column() const {
  return columns_ > 0 && end_ > 0 ? static_cast<double>(end_) / columns_ : 1.0;
}

int Ruler::boundary(std::int64_t at) const {
  const double place = static_cast<double>(at) / ns_per_column();
  return static_cast<int>(std::lround(std::clamp(place, 0.0, static_cast<double>(columns_))));
}

int Ruler::column(std::int64_t at) const {
  const double place = static_cast<double>(at) / ns_per_column();
  return std::clamp(static_cast<int>(std::floor(place + 1e-9)), 0, std::max(0, columns_ - 1));
}

namespace {

/// 1, 2 or 5 times a power of ten.
std::vector<std::int64_t> round_steps() {
  std::vector<std::int64_t> steps;
  constexpr std::int64_t largest = 1'000'000'000'000'000'000;  // ten times it is no int64
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t factor : {1, 2, 5}) steps.push_back(power * factor);
    if (power == largest) return steps;
  }
}

std::string tick_text(std::int64_t at) { return at == 0 ? "0" : to_string(Time{at}); }

std::vector<std::int64_t> multiples(std::int64_t step, std::int64_t end) {
  std::vector<std::int64_t> ticks;
  for (std::int64_t at = 0; at <= end && end - at >= 0; at += step) {
    ticks.push_back(at);
    if (at > end - step) break;
  }
  return ticks;
}

}  // namespace

std::vector<std::int64_t> Ruler::ticks() const {
  if (end_ <= 0) return {0};
  constexpr double closest = 9;
  for (const std::int64_t step : round_steps()) {
    const double apart = static_cast<double>(step) / ns_per_column();
    if (apart < closest) continue;
    std::vector<std::int64_t> ticks = multiples(step, end_);
    const bool fits = std::all_of(ticks.begin(), ticks.end(), [apart](std::int64_t at) {
      return millrace::cli::columns(tick_text(at)) + 2 <= apart;
    });
    if (fits) return ticks;
  }
  return {0};
}

void Ruler::draw(Line& texts, Line& line, int left, const Look& look) const {
  const Paint& paint = paints::faint;
  line.fill(left, left + columns_, look.ascii ? "-" : "─", paint);
  for (const std::int64_t at : ticks()) {
    const int place = left + std::min(boundary(at), std::max(0, columns_ - 1));
    line.put(place, look.ascii ? "+" : "┬", paint);
    const std::string text = tick_text(at);
    if (place + millrace::cli::columns(text) <= left + width()) texts.write(place, text, paint);
  }
  if (for_ever_ == 0) return;
  line.fill(left + columns_, left + width(), look.ascii ? "." : "┄", paint);
  const std::string_view text = "for ever";
  const int place = left + width() - static_cast<int>(text.size());
  if (texts.free_until(place) == texts.width() && texts.is_free(place - 1)) {
    texts.write(place, text, paint);
  }
}

}  // namespace millrace::cli
