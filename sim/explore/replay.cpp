// SPDX-License-Identifier: Apache-2.0
#include "replay.hpp"

#include <bit>
#include <vector>

namespace millrace::sim::exploring {
namespace {

constexpr std::string_view digits = "0123456789abcdefghjkmnpqrstvwxyz";  // Crockford's
constexpr std::string_view start = "mr1-";
constexpr std::size_t fingerprint_digits = 4;
constexpr std::size_t longest = 24;
constexpr std::size_t most_digits = longest - start.size() - fingerprint_digits - 1;

/// Bits in a row; numbers in Elias' gamma code, small ones short.
class Bits {
 public:
  void put(bool bit) { bits_.push_back(bit); }
  void put_number(std::uint64_t number) {  // from 0 on
    const std::uint64_t coded = number + 1;
    const auto length = static_cast<int>(std::bit_width(coded));
    for (int i = 1; i < length; ++i) put(false);
    for (int i = length; i-- > 0;) put((coded >> static_cast<unsigned>(i) & 1U) != 0);
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < bits_.size(); i += 5) {
      unsigned digit = 0;
      for (std::size_t k = i; k < i + 5; ++k) {
        digit = digit << 1U | (k < bits_.size() && bits_[k] ? 1U : 0U);
      }
      text += digits[digit];
    }
    return text;
  }

  /// False: there was a character that is no digit.
  bool read(std::string_view text) {
    for (const char c : text) {
      const std::size_t digit = digits.find(c);
      if (digit == std::string_view::npos) return false;
      for (unsigned i = 5; i-- > 0;) put((digit >> i & 1U) != 0);
    }
    return true;
  }
  bool get() { return at_ < bits_.size() && bits_[at_++]; }
  /// Nothing but zeros is left.
  [[nodiscard]] bool at_end() const {
    for (std::size_t i = at_; i < bits_.size(); ++i) {
      if (bits_[i]) return false;
    }
    return true;
  }
  std::optional<std::uint64_t> get_number() {
    unsigned zeros = 0;
    while (!get()) {
      if (at_ == bits_.size() || ++zeros > 63) return std::nullopt;
    }
    std::uint64_t coded = 1;
    for (; zeros > 0; --zeros) coded = coded << 1U | (get() ? 1U : 0U);
    return coded - 1;
  }

 private:
  std::vector<bool> bits_;
  std::size_t at_ = 0;
};

/// Where the choices deviate from the usual: how far behind the one before, and to which way.
Bits bits_of(const Choices& choices) {
  Bits bits;
  bits.put(false);
  std::uint64_t usual = 0;
  for (const std::uint32_t choice : choices) {
    if (choice == 0) {
      ++usual;
      continue;
    }
    bits.put_number(usual);
    bits.put_number(choice - 1);
    usual = 0;
  }
  return bits;
}

std::optional<Choices> choices_of(Bits& bits) {
  Choices choices;
  while (!bits.at_end()) {
    const auto usual = bits.get_number();
    const auto deviation = bits.get_number();
    if (!usual || !deviation || *usual > 1'000'000 || *deviation > 1'000'000) return std::nullopt;
    choices.resize(choices.size() + *usual, 0);
    choices.push_back(static_cast<std::uint32_t>(*deviation) + 1);
  }
  return choices;
}

std::uint64_t parameter_of(const Strategy& strategy) {
  if (const auto* const some = std::get_if<orders>(&strategy)) {
    return static_cast<std::uint64_t>(some->depth);
  }
  if (const auto* const some = std::get_if<random_walk>(&strategy)) return some->weighted ? 1 : 0;
  if (const auto* const some = std::get_if<pct>(&strategy)) {
    return static_cast<std::uint64_t>(some->depth);
  }
  return 0;
}

Bits bits_of(const Numbered& numbered) {
  Bits bits;
  bits.put(true);
  bits.put_number(numbered.strategy.index());
  bits.put_number(parameter_of(numbered.strategy));
  bits.put_number(numbered.seed);
  bits.put_number(numbered.number);
  return bits;
}

std::optional<Numbered> numbered_of(Bits& bits) {
  const auto index = bits.get_number();
  const auto parameter = bits.get_number();
  const auto seed = bits.get_number();
  const auto number = bits.get_number();
  if (!index || !parameter || !seed || !number || *parameter > 16) return std::nullopt;
  const int depth = static_cast<int>(*parameter);
  switch (*index) {
    case 0:
      return Numbered{exhaustive{}, *seed, *number};
    case 1:
      if (depth < 2 || depth > 4) return std::nullopt;
      return Numbered{orders{depth}, *seed, *number};
    case 2:
      return Numbered{random_walk{depth != 0}, *seed, *number};
    case 3:
      if (depth < 1) return std::nullopt;
      return Numbered{pct{depth}, *seed, *number};
    default:
      return std::nullopt;
  }
}

std::string fingerprint_text(std::uint64_t fingerprint) {
  std::string text;
  for (unsigned i = fingerprint_digits; i-- > 0;) text += digits[fingerprint >> 5U * i & 31U];
  return text;
}

}  // namespace

std::size_t Replay::choose(std::span<const Actor> actors, const Steps&) {
  if (actors.size() == 1) return 0;
  const std::uint32_t way = next();
  return way < actors.size() ? way : 0;
}

std::uint64_t short_fingerprint(std::uint64_t fingerprint) {
  return fingerprint & ((std::uint64_t{1} << 5U * fingerprint_digits) - 1);
}

std::string to_token(std::uint64_t fingerprint, const Choices& choices, const Numbered& otherwise) {
  std::string execution = bits_of(choices).text();
  if (execution.size() > most_digits) execution = bits_of(otherwise).text();
  return std::string(start) + fingerprint_text(short_fingerprint(fingerprint)) + "-" + execution;
}

std::optional<Token> parse_token(std::string_view text) {
  if (!text.starts_with(start) || text.size() > 2 * longest) return std::nullopt;
  text.remove_prefix(start.size());
  if (text.size() < fingerprint_digits + 2 || text[fingerprint_digits] != '-') return std::nullopt;
  Token token;
  for (const char c : text.substr(0, fingerprint_digits)) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    token.fingerprint = token.fingerprint << 5U | digit;
  }
  Bits bits;
  if (!bits.read(text.substr(fingerprint_digits + 1))) return std::nullopt;
  if (bits.get()) {
    const std::optional<Numbered> numbered = numbered_of(bits);
    if (!numbered) return std::nullopt;
    token.execution = *numbered;
    return token;
  }
  const std::optional<Choices> choices = choices_of(bits);
  if (!choices) return std::nullopt;
  token.execution = *choices;
  return token;
}

}  // namespace millrace::sim::exploring
