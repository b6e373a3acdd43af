// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"
#include "values.hpp"

#include <millrace/time.hpp>
#include <millrace/trace.hpp>

#include <type_traits>

namespace millrace::script {
namespace {

/// Writes one statement. Each kind of statement is one function.
class Writer {
 public:
  explicit Writer(const Script::Program& program) : program_(program) {}

  std::string text(const Statement& statement) {
    out_.clear();
    if (statement.stream != nothing) {
      put(program_.name_of(statement.stream), ": ");
    } else if (is_host_operation(statement)) {
      put("host: ");
    }
    std::visit([this](const auto& what) { write(what); }, statement.kind);
    return out_;
  }

 private:
  static bool is_host_operation(const Statement& statement) {
    return std::visit(
        [](const auto& what) {
          using Kind = std::decay_t<decltype(what)>;
          return std::is_same_v<Kind, Sync> || std::is_same_v<Kind, Query> ||
                 std::is_same_v<Kind, Poll> || std::is_same_v<Kind, Touch> ||
                 std::is_same_v<Kind, Work> || std::is_same_v<Kind, Elapsed> ||
                 std::is_same_v<Kind, Malloc> || std::is_same_v<Kind, Free> ||
                 std::is_same_v<Kind, Destroy> || std::is_same_v<Kind, Raise> ||
                 std::is_same_v<Kind, Await> || std::is_same_v<Kind, SetDevice> ||
                 std::is_same_v<Kind, Reset> || std::is_same_v<Kind, Join>;
        },
        statement.kind);
  }

  template <typename... Parts>
  void put(const Parts&... parts) {
    (out_.append(parts), ...);
  }
  std::string_view name(Index thing) const { return program_.name_of(thing); }
  static std::string number(std::uint64_t n) { return std::to_string(n); }
  static std::string time(std::int64_t ns) { return to_string(Duration{ns}); }

  void names(Index first, Index count) {
    for (Index i = 0; i < count; ++i) put(" ", name(first + i));
  }
  void on(std::int32_t device) {
    if (device != 0) put(" on ", std::to_string(device));
  }
  void cost(Cost cost) {
    if (cost.given()) put(" for ", time(cost.ns));
  }

  void region(Index index) {
    const Region& region = program_.regions[index];
    put(name(region.memory));
    if (region.whole) return;
    put("[", size_text(region.begin), "..");
    if (!region.open) put(size_text(region.end));
    if (region.pitch != 0) {
      put(" pitch ", size_text(region.pitch), " width ", size_text(region.width));
    }
    put("]");
  }
  void list(std::string_view word, Index first, std::uint16_t count) {
    if (count == 0) return;
    put(word);
    for (Index i = 0; i < count; ++i) {
      put(i == 0 ? " " : ",");
      region(first + i);
    }
  }
  void lists(const Regions& regions) {
    list(" reads", regions.first, regions.reads);
    list(" writes", regions.first + regions.reads, regions.writes);
    list(" updates", regions.first + regions.reads + regions.writes, regions.updates);
  }
  void operation(OperationName operation) {
    put(program_.word(operation.name));
    if (operation.instance != 0) put("#", number(operation.instance));
  }

  void write(const UseProfile&) {
    constexpr std::string_view harmless =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./";
    const bool plain = program_.profile.find_first_not_of(harmless) == std::string::npos;
    put("device ", plain ? "" : "\"", program_.profile, plain ? "" : "\"");
  }
  void write(const UseDevices&) { put("gpus ", std::to_string(program_.devices)); }
  void write(const DeclareBuffers& d) {
    put("buffer");
    names(d.first, d.count);
    put(" ", size_text(d.bytes));
    if (d.kind != MemoryKind::device) put(" ", to_string(d.kind));
    on(d.device);
  }
  void write(const DeclareStreams& d) {
    put("stream");
    names(d.first, d.count);
    if (d.blocking) put(" blocking");
    if (d.priority != 0) put(" priority ", std::to_string(d.priority));
    on(d.device);
  }
  void write(const DeclareEvents& d) {
    put("event");
    names(d.first, d.count);
    put(d.timing ? " timing" : "", d.blocking ? " blocking" : "");
    put(d.interprocess ? " interprocess" : "");
    on(d.device);
  }
  void write(const DeclareFlags& d) {
    put("flag");
    names(d.first, d.count);
  }

  void write(const Kernel& k) {
    put("kernel ", program_.word(k.name));
    lists(k.regions);
    cost(k.cost);
    if (k.blocks != 1) put(" blocks ", number(k.blocks));
    if (k.threads != 256) put(" threads ", number(k.threads));
  }
  void write(const Call& c) {
    put("call ", program_.word(c.name));
    lists(c.regions);
    cost(c.cost);
  }
  void write(const Copy& c) {
    put("copy ");
    region(c.regions);
    put(" -> ");
    region(c.regions + 1);
    if (c.sized) put(" ", size_text(c.bytes));
    cost(c.cost);
    if (c.synchronous) put(" sync");
  }
  void write(const Fill& f) {
    put("fill ");
    region(f.region);
    cost(f.cost);
    if (f.synchronous) put(" sync");
  }
  void write(const Record& r) { put("record ", name(r.event), r.external ? " external" : ""); }
  void write(const Wait& w) { put("wait ", name(w.event), w.external ? " external" : ""); }
  void write(const Alloc& a) { put("alloc ", name(a.memory), " ", size_text(a.bytes)); }
  void write(const FreeInOrder& f) { put("free ", name(f.memory)); }
  void write(const SetFlag& s) { put("set ", name(s.flag), " = ", number(s.value)); }
  void write(const AwaitFlag& a) {
    put("await ", name(a.flag));
    put(a.condition == FlagCondition::greater_or_equal ? " >= "
        : a.condition == FlagCondition::equal          ? " == "
                                                       : " & ");
    put(number(a.value));
  }
  void write(const Begin& b) {
    put("begin");
    put(b.mode == CaptureMode::relaxed             ? " relaxed"
        : b.mode == CaptureMode::thread_local_mode ? " threadlocal"
                                                   : "");
  }
  void write(const End& e) { put("end ", name(e.graph)); }
  void write(const Launch& l) { put("launch ", name(l.graph)); }
  void write(const Fault& f) { put("fault ", to_string(f.code)); }

  void write(const Sync& s) { put("sync ", s.thing == nothing ? "device" : name(s.thing)); }
  void write(const Query& q) { put("query ", name(q.thing)); }
  void write(const Poll& p) { put("poll ", name(p.thing)); }
  void write(const Touch& t) { list(t.write ? "write" : "read", t.first, t.count); }
  void write(const Work& w) { put("work ", time(w.ns)); }
  void write(const Elapsed& e) { put("elapsed ", name(e.start), " ", name(e.end)); }
  void write(const Malloc& m) {
    put("malloc ", name(m.memory), " ", size_text(m.bytes));
    if (m.kind != MemoryKind::device) put(" ", to_string(m.kind));
  }
  void write(const Free& f) { put("free ", name(f.memory)); }
  void write(const Destroy& d) { put("destroy ", name(d.thing)); }
  void write(const Raise& r) { put("raise ", program_.word(r.signal)); }
  void write(const Await& a) { put("await ", program_.word(a.signal)); }
  void write(const SetDevice& d) { put("device ", std::to_string(d.device)); }
  void write(const Reset&) { put("reset"); }
  void write(const Join& j) { put("join ", name(j.thread)); }

  void write(const Thread& t) { put("thread ", name(t.thread), " {"); }
  void write(const Repeat& r) { put("repeat ", number(r.count), " {"); }
  void write(const If& i) { put("if query ", name(i.thing), " {"); }

  void write(const ExpectClean&) { put("expect clean"); }
  void write(const ExpectFinding& e) {
    put("expect ", to_string(e.kind));
    if (e.kind != FindingKind::deadlock) put(" ", program_.word(e.object));
    if (e.first.name == 0) return;
    put(" between ");
    operation(e.first);
    put(" ");
    operation(e.second);
  }
  void write(const ExpectError& e) { put("expect error ", to_string(e.code)); }
  void write(const ExpectState& e) {
    put("expect ", e.ready ? "ready " : "pending ", name(e.thing));
  }
  void write(const ExpectOrder& e) {
    put("expect ");
    operation(e.first);
    put(e.order == Order::before      ? " before "
        : e.order == Order::unordered ? " unordered "
                                      : " overlaps ");
    operation(e.second);
  }
  void write(const ExpectTime& e) {
    put("expect ");
    put(e.moment == Moment::start ? "start " : e.moment == Moment::finish ? "finish " : "end");
    if (e.moment != Moment::end) operation(e.operation);
    put(" = ", time(e.ns));
  }
  void write(const ExpectElapsed& e) {
    put("expect elapsed ", name(e.start), " ", name(e.end), " = ", time(e.ns));
  }

  const Script::Program& program_;
  std::string out_;
};

}  // namespace

std::string to_text(const Script::Program& program, const Statement& statement) {
  return Writer(program).text(statement);
}

}  // namespace millrace::script

namespace millrace {
namespace {

using script::Index;

void write_block(const Script::Program& program, Index begin, Index end, const std::string& indent,
                 std::string& out) {
  for (Index i = begin; i < end; i = script::after(program.statements, i)) {
    const script::Statement& statement = program.statements[i];
    out += indent + script::to_text(program, statement) + "\n";
    const Index behind = script::after(program.statements, i);
    if (const auto* branch = statement.as<script::If>()) {
      write_block(program, i + 1, branch->otherwise, indent + "  ", out);
      if (branch->otherwise != branch->end) {
        out += indent + "} else {\n";
        write_block(program, branch->otherwise, branch->end, indent + "  ", out);
      }
      out += indent + "}\n";
    } else if (statement.as<script::Thread>() != nullptr ||
               statement.as<script::Repeat>() != nullptr) {
      write_block(program, i + 1, behind, indent + "  ", out);
      out += indent + "}\n";
    }
  }
}

}  // namespace

std::string Script::to_text() const {
  std::string out;
  for (const script::Allowed& allowed : program_->allowed) {
    out.append("# allow ").append(to_string(allowed.kind));
    if (!allowed.object.empty()) out.append(" ").append(allowed.object);
    out += "\n";
  }
  write_block(*program_, 0, static_cast<Index>(program_->statements.size()), "", out);
  return out;
}

}  // namespace millrace
