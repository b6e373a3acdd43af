// SPDX-License-Identifier: Apache-2.0
#include "bad_scripts.hpp"

#include <catch2/catch_test_macros.hpp>

namespace millrace::test {

TEST_CASE("Operations of the host that are wrong say what was expected where") {
  check_bad({
      {"host: kernel k", 1, 7,
       "found 'kernel', expected an operation of the host: this one is a stream's, written "
       "behind 'STREAM:'"},
      {"host: sync", 1, 11, "found the end of the line, expected a stream, an event or 'device'"},
      {"host: sync A", 1, 12, "found the memory 'A', expected a stream or an event"},
      {"host: sync devise", 1, 12,
       "found the unknown name 'devise', expected a stream or an event"},
      {"host: query device", 1, 13,
       "found the unknown name 'device', expected a stream or an event"},
      {"host: read", 1, 11, "found the end of the line, expected memory"},
      {"host: read s1", 1, 12, "found the stream 's1', expected memory"},
      {"host: work", 1, 11, "found the end of the line, expected a duration"},
      {"host: work 5", 1, 12, "found '5', expected a duration, which has a unit: ns, us, ms or s"},
      {"host: elapsed e1", 1, 17, "found the end of the line, expected an event"},
      {"host: elapsed e1 s1", 1, 18,
       "found the stream 's1', expected an event; did you mean 'e1'?"},
      {"host: malloc A 4KiB", 1, 14,
       "found 'A', expected a name that is free: it is the memory of line 1"},
      {"host: malloc X", 1, 15, "found the end of the line, expected a size"},
      {"host: malloc X 4KiB shared", 1, 21,
       "found 'shared', expected 'device', 'pinned', 'pageable', 'managed' or the end of the "
       "statement"},
      {"host: free X", 1, 12, "found the unknown name 'X', expected memory; did you mean 'A'?"},
      {"host: destroy A", 1, 15, "found the memory 'A', expected a stream, an event or a graph"},
      {"host: destroy f", 1, 15, "found the flag 'f', expected a stream, an event or a graph"},
      {"host: raise", 1, 12, "found the end of the line, expected the name of a signal"},
      {"host: await go >= 1", 1, 16,
       "found '>=', expected the end of the statement: the host awaits signals, streams await "
       "flags"},
      {"host: device", 1, 13, "found the end of the line, expected a whole number"},
      {"host: device 1.5", 1, 14,
       "found '1.5', expected a whole number from -2147483647 to 2147483647"},
      {"host: reset device", 1, 13, "found 'device', expected the end of the statement"},
      {"host: join t", 1, 12, "found the unknown name 't', expected a thread"},
      {"host: join s1", 1, 12, "found the stream 's1', expected a thread"},
      {"host: if query s1 {", 1, 7,
       "found 'if', expected an operation of the host: a block is written without 'host:'"},
      {"host: sync s1, s2", 1, 14, "found ',', expected the end of the statement"},
      {"host: sync s1#1", 1, 12, "found 's1#1', expected a stream, an event or 'device'"},
  });
}

TEST_CASE("Statements and blocks that are wrong say what was expected where") {
  check_bad({
      {"kernel k", 1, 1,
       "found 'kernel', expected a statement: operations stand behind 'STREAM:' or 'host:'"},
      {"s1 kernel k", 1, 1,
       "found 's1', expected a statement: work for a stream is written 's1: …'"},
      {"thread", 1, 7, "found the end of the line, expected a name for the thread"},
      {"thread s1 {", 1, 8, "found 's1', expected a name that is free: it is the stream of line 3"},
      {"thread t", 1, 9, "found the end of the line, expected '{'"},
      {"thread t { host: sync s1 }", 1, 12,
       "found 'host', expected the end of the line: what the block does stands on lines of its "
       "own"},
      {"repeat {", 1, 8, "found '{', expected a whole number"},
      {"repeat -1 {", 1, 8, "found '-1', expected a whole number from 0 to 1000000000"},
      {"repeat 2000000000 {", 1, 8,
       "found '2000000000', expected a whole number from 0 to 1000000000"},
      {"if s1 {", 1, 4, "found 's1', expected 'query'"},
      {"if query A {", 1, 10, "found the memory 'A', expected a stream or an event"},
      {"if query s1", 1, 12, "found the end of the line, expected '{'"},
      {"else {", 1, 1,
       "found 'else', expected a statement: 'else' stands behind the '}' of an if, on its line"},
      {"}", 1, 1, "found '}', expected a statement: no block is open"},
      {"repeat 2 {\n  buffer C 4KiB\n}", 2, 3,
       "found 'buffer', expected a statement of a block: declarations stand outside blocks"},
      {"repeat 2 {\n  host: sync s1 }", 2, 17,
       "found '}', expected the end of the statement: '}' stands on a line of its own"},
      {"repeat 2 {\n  host: sync s1\n} host: sync s2", 3, 3,
       "found 'host', expected the end of the line: '}' stands on a line of its own"},
      {"repeat 2 {\n  host: sync s1", 3, 1,
       "found the end of the text, expected '}' for the block of line 6"},
      {"if query s1 {\n} else host: sync s1", 2, 8, "found 'host', expected '{'"},
      {"if query s1 {\n} else {\n} else {\n}", 3, 3,
       "found 'else', expected the end of the line: '}' stands on a line of its own"},
      {"repeat 100000 {\nrepeat 100000 {\n}\n}", 2, 8,
       "found loops in each other that run 10000000000 times, expected at most 1000000000"},
      {"repeat 2 {\n  host: malloc X 4KiB\n}", 2, 16,
       "found 'X', expected a name that is free: 'X' still lives when this loop comes round to "
       "it again"},
      {"42", 1, 1, "found '42', expected a statement"},
      {"{", 1, 1, "found '{', expected a statement"},
      {"\"text\"", 1, 1, "found '\"', expected a statement"},
      {"s1 : : kernel k", 1, 6, "found ':', expected an operation of a stream"},
  });
}

}  // namespace millrace::test
