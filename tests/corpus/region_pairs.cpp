// SPDX-License-Identifier: Apache-2.0
// Parts of one buffer.
#include "pair.hpp"

namespace millrace::test {

TEST_CASE("halves that share an element") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.s1.launch("low", {.writes = {w.a.range(0, fixed ? 512 : 513)}});
    w.s2.launch("high", {.writes = {w.a.range(512, 512)}});
  });
}

TEST_CASE("column tiles that share a column") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.s1.launch("left", {.writes = {w.a.tile(0, fixed ? 16 : 17, 32, 32)}});
    w.s2.launch("right", {.writes = {w.a.tile(16, 16, 32, 32)}});
  });
}

TEST_CASE("a tile with the wrong pitch") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.s1.launch("left", {.writes = {w.a.tile(0, 16, 32, 32)}});
    w.s2.launch("right", {.writes = {w.a.tile(16, 8, fixed ? 32 : 30, 32)}});
  });
}

TEST_CASE("a tile one row too high") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.s1.launch("top", {.writes = {w.a.tile(0, 16, 32, fixed ? 16 : 17)}});
    w.s2.launch("bottom", {.writes = {w.a.tile(512, 16, 32, 16)}});
  });
}

TEST_CASE("a stencil that reads its neighbour before it is done") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.s1.launch("top", {.writes = {w.a.range(0, 512)}});
    w.s2.launch("bottom", {.writes = {w.a.range(512, 512)}});
    if (fixed) w.s1.wait_stream(w.s2);
    w.s1.launch("next", {.reads = {w.a.range(0, 513)}, .writes = {w.b.range(0, 512)}});
  });
}

TEST_CASE("the tail of a copy in two parts") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.s1.copy(w.a.range(0, 512), w.pinned.range(0, 512));
    if (!fixed) w.e.record(w.s1);
    w.s1.copy(w.a.range(512, 512), w.pinned.range(512, 512));
    if (fixed) w.e.record(w.s1);
    w.e.wait(w.s2);
    w.s2.launch("use", {.reads = {w.a}});
  });
}

TEST_CASE("a pitched copy into the columns of another one") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.s1.copy(w.a.tile(0, 16, 32, 32), w.b.tile(0, 16, 32, 32));
    w.s2.copy(w.a.tile(fixed ? 16 : 15, 16, 32, 32), w.b.tile(16, 16, 32, 32));
  });
}

}  // namespace millrace::test
