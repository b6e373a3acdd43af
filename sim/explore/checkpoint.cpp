// SPDX-License-Identifier: Apache-2.0
//
// What an exploration leaves on disk, so that another process goes on where it was.
#include "explorer.hpp"

#include <millrace/error.hpp>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace millrace::sim::exploring {
namespace {

void put(const std::string& text, std::ostream& out) { out << text.size() << ' ' << text << '\n'; }

std::string get(std::istream& in) {
  std::size_t size = 0;
  in >> size;
  in.get();
  constexpr std::size_t most = 1U << 20U;
  std::string text(in ? std::min(size, most) : 0, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

}  // namespace

std::string Explorer::checkpoint_head() const {
  return "millrace exploration 1, " + to_token(fingerprint_, {}, {}) + ", strategy " +
         to_token(0, Choices(500, 1), {options_.strategy, options_.run.seed, 0});
}

/// Whole or not at all.
void Explorer::save(const Plan& plan) const {
  const std::filesystem::path fresh = options_.checkpoint.string() + ".new";
  {
    std::ofstream out(fresh, std::ios::binary);
    put(checkpoint_head(), out);
    out << report_.executions << ' ' << report_.pruned << ' ' << begun_ << ' ' << met_.size()
        << '\n';
    for (const Met& met : met_) {
      put(met.outcome.text, out);
      out << met.outcome.executions << ' ' << met.outcome.failed << ' ' << met.number << ' '
          << met.choices.size();
      for (const std::uint32_t choice : met.choices) out << ' ' << choice;
      out << '\n';
    }
    plan.save(out);
    out.flush();
    if (!out) throw std::system_error(errno, std::generic_category(), fresh.string());
  }
  std::filesystem::rename(fresh, options_.checkpoint);
}

void Explorer::load(Plan& plan) {
  std::ifstream in(options_.checkpoint, std::ios::binary);
  if (!in) return;  // there is none yet
  const auto refuse = [&](const std::string& reason) {
    throw Error(Errc::InvalidValue, "sim::explore",
                "the checkpoint " + options_.checkpoint.string() + " " + reason, {});
  };
  if (get(in) != checkpoint_head()) {
    refuse("is of another program, another version of it, or another strategy");
  }
  std::size_t outcomes = 0;
  in >> report_.executions >> report_.pruned >> begun_ >> outcomes;
  for (std::size_t i = 0; i < outcomes && in; ++i) {
    Met& met = met_.emplace_back();
    met.outcome.text = get(in);
    std::size_t choices = 0;
    in >> met.outcome.executions >> met.outcome.failed >> met.number >> choices;
    for (std::size_t c = 0; c < choices && in; ++c) in >> met.choices.emplace_back();
    failed_ = failed_ || met.outcome.failed;
  }
  if (!in || !plan.load(in)) refuse("is damaged");
}

}  // namespace millrace::sim::exploring
