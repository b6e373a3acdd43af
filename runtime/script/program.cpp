// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <type_traits>

namespace millrace::script {

std::string_view to_string(ThingKind kind) {
  switch (kind) {
    case ThingKind::stream:
      return "stream";
    case ThingKind::event:
      return "event";
    case ThingKind::flag:
      return "flag";
    case ThingKind::memory:
      return "memory";
    case ThingKind::graph:
      return "graph";
    case ThingKind::thread:
      return "thread";
  }
  return "thing";
}

bool Statement::is_expectation() const {
  return std::visit(
      [](const auto& what) {
        using Kind = std::decay_t<decltype(what)>;
        return std::is_same_v<Kind, ExpectClean> || std::is_same_v<Kind, ExpectFinding> ||
               std::is_same_v<Kind, ExpectError> || std::is_same_v<Kind, ExpectState> ||
               std::is_same_v<Kind, ExpectOrder> || std::is_same_v<Kind, ExpectTime> ||
               std::is_same_v<Kind, ExpectElapsed>;
      },
      kind);
}

Index after(const std::vector<Statement>& statements, Index statement) {
  const Statement& block = statements[statement];
  if (const auto* thread = block.as<Thread>()) return thread->end;
  if (const auto* repeat = block.as<Repeat>()) return repeat->end;
  if (const auto* branch = block.as<If>()) return branch->end;
  return statement + 1;
}

}  // namespace millrace::script

namespace millrace {

void Script::Program::keep_words(const script::Words& words) {
  word_text_.clear();
  word_ends_.assign(1, 0);
  word_ends_.reserve(words.size() + 1);
  for (const std::string_view word : words.texts()) {
    word_text_ += word;
    word_ends_.push_back(word_text_.size());
  }
}

const Script::Program::Names& Script::Program::names() const {
  std::call_once(named_, [this] {
    names_.words.reserve(word_ends_.size() - 1);
    for (script::Symbol symbol = 0; symbol + 1 < word_ends_.size(); ++symbol) {
      names_.words.emplace_back(word(symbol));
    }
    const auto number = [](std::vector<Name>& names, const char* stem, script::Index count) {
      names.emplace_back();
      for (script::Index n = 1; n <= count; ++n) names.emplace_back(stem + std::to_string(n));
    };
    number(names_.copies, "copy", copies);
    number(names_.fills, "fill", fills);
  });
  return names_;
}

}  // namespace millrace
