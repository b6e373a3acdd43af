// SPDX-License-Identifier: Apache-2.0
#include <millrace/inject.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string>

namespace millrace::sim {
namespace {

/// One fault's text, taken apart from the left.
class FaultText {
 public:
  explicit FaultText(std::string_view text) : whole_(text), rest_(text) {}

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Errc::InvalidValue, "sim::add_injection",
                "fault '" + std::string(whole_) + "': " + why, {});
  }

  /// What comes before the next colon, or all that is left.
  std::string_view next(std::string_view expected) {
    if (done_) fail(std::string(expected) + " is missing");
    const std::size_t colon = rest_.find(':');
    const std::string_view word = rest_.substr(0, colon);
    done_ = colon == std::string_view::npos;
    if (!done_) rest_.remove_prefix(colon + 1);
    return word;
  }
  void end() const {
    if (!done_) fail("nothing is expected behind the second colon");
  }

  /// All of `text` as a number and one of the units.
  [[nodiscard]] double number(std::string_view text,
                              const std::map<std::string_view, double>& units,
                              const char* expected) const {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    const auto unit = units.find(std::string_view(stop, static_cast<std::size_t>(end - stop)));
    const double scaled = unit == units.end() ? -1 : value * unit->second;
    if (error != std::errc() || !(scaled >= 0) || scaled > 4e18) {
      fail("'" + std::string(text) + "' is not " + expected);
    }
    return scaled;
  }
  [[nodiscard]] std::uint64_t whole(std::string_view text, const char* expected) const {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) {
      fail("'" + std::string(text) + "' is not " + expected);
    }
    return value;
  }
  [[nodiscard]] int device(std::string_view text) const {
    const std::uint64_t index = whole(text, "the number of a device");
    if (index > 63) fail("there are no more than 64 devices");
    return static_cast<int>(index);
  }

 private:
  std::string_view whole_;
  std::string_view rest_;
  bool done_ = false;
};

/// "fill#2" is the second operation called fill.
FailedOperation failed_operation(FaultText& text, bool at_call) {
  FailedOperation failed;
  failed.at_call = at_call;
  const std::string_view which = text.next("the operation, NAME or NAME#NUMBER,");
  const std::size_t sign = which.rfind('#');
  failed.name = which.substr(0, sign);
  if (sign != std::string_view::npos) {
    failed.number = text.whole(which.substr(sign + 1), "which operation of that name, from 1 on");
  }
  if (failed.name.empty() && sign == std::string_view::npos) text.fail("no operation is named");
  const std::string_view code = text.next("the error, e.g. LaunchFailure,");
  const std::optional<Errc> known = errc_from_name(code);
  if (!known) text.fail("there is no error '" + std::string(code) + "'");
  failed.code = *known;
  return failed;
}

LostDevice lost_device(FaultText& text) {
  static const std::map<std::string_view, double> units{
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  LostDevice lost;
  lost.device = text.device(text.next("the device"));
  const std::string_view at = text.next("the time, e.g. 50us,");
  lost.at = Time{std::llround(text.number(at, units, "a time: a number and ns, us, ms or s"))};
  return lost;
}

SlowEngine slow_engine(FaultText& text) {
  static const std::map<std::string_view, EngineKind> engines{{"kernels", EngineKind::kernels},
                                                              {"to-device", EngineKind::to_device},
                                                              {"to-host", EngineKind::to_host},
                                                              {"on-device", EngineKind::on_device}};
  SlowEngine slow;
  const std::string_view where = text.next("the engine");
  const std::size_t sign = where.find('@');
  const auto found = engines.find(where.substr(0, sign));
  if (found == engines.end()) {
    text.fail("'" + std::string(where.substr(0, sign)) +
              "' is not kernels, to-device, to-host or on-device");
  }
  slow.engine = found->second;
  if (sign != std::string_view::npos) slow.device = text.device(where.substr(sign + 1));
  const double factor = text.number(text.next("the factor"), {{"", 1}}, "a factor, e.g. 2.5");
  slow.percent = std::llround(std::min(factor, 1e9) * 100);
  return slow;
}

std::uint64_t device_bytes(FaultText& text) {
  static const std::map<std::string_view, double> units{
      {"", 1},         {"B", 1},    {"KiB", 0x1p10}, {"MiB", 0x1p20},
      {"GiB", 0x1p30}, {"KB", 1e3}, {"MB", 1e6},     {"GB", 1e9}};
  return static_cast<std::uint64_t>(
      text.number(text.next("the size"), units, "a size: a number and B, KiB, MiB or GiB"));
}

}  // namespace

void add_injection(std::string_view words, Injection& to) {
  FaultText text(words);
  const std::string_view kind = text.next("the kind");
  if (kind == "fail" || kind == "refuse") {
    to.failures.push_back(failed_operation(text, kind == "refuse"));
  } else if (kind == "lose") {
    to.lost.push_back(lost_device(text));
  } else if (kind == "slow") {
    to.slow.push_back(slow_engine(text));
  } else if (kind == "memory") {
    to.device_bytes = device_bytes(text);
  } else {
    text.fail("it begins with fail, refuse, lose, slow or memory");
  }
  text.end();
}

}  // namespace millrace::sim
