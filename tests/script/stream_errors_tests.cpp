// SPDX-License-Identifier: Apache-2.0
#include "bad_scripts.hpp"

#include <catch2/catch_test_macros.hpp>

namespace millrace::test {

TEST_CASE("Operations of streams that are wrong say what was expected where") {
  check_bad({
      {"s3: kernel k", 1, 1, "found the unknown name 's3', expected a stream; did you mean 's1'?"},
      {"e1: kernel k", 1, 1, "found the event 'e1', expected a stream; did you mean 's1'?"},
      {"S1: kernel k", 1, 1, "found the unknown name 'S1', expected a stream; did you mean 's1'?"},
      {"s1:", 1, 4, "found the end of the line, expected an operation of a stream"},
      {"s1: kernal k", 1, 5,
       "found 'kernal', expected an operation of a stream; did you mean 'kernel'?"},
      {"s1: kernel", 1, 11, "found the end of the line, expected a name for the operation"},
      {"s1: kernel 5", 1, 12, "found '5', expected a name for the operation"},
      {"s1: kernel k#2", 1, 12,
       "found 'k#2', expected a name: instances are counted, not named; a comment needs a "
       "blank before '#'"},
      {"s1: kernel k reads", 1, 19, "found the end of the line, expected memory"},
      {"s1: kernel k reads C", 1, 20,
       "found the unknown name 'C', expected memory; did you mean 'A'?"},
      {"s1: kernel k reads s1", 1, 20, "found the stream 's1', expected memory"},
      {"s1: kernel k reads A,", 1, 22, "found the end of the line, expected memory"},
      {"s1: kernel k reads A B", 1, 22,
       "found 'B', expected 'reads', 'writes', 'updates', 'for', 'blocks', 'threads' or the "
       "end of the statement"},
      {"s1: kernel k reads A reads B", 1, 22,
       "found 'reads', expected this word once: several regions are written with commas "
       "between them"},
      {"s1: kernel k reads A[0..128KiB]", 1, 25,
       "found the offset 128KiB, expected at most 64KiB, the size of 'A'"},
      {"s1: kernel k reads A[65KiB..]", 1, 22,
       "found the offset 65KiB, expected at most 64KiB, the size of 'A'"},
      {"s1: kernel k reads A[8..4]", 1, 25,
       "found a range that ends at 4B, expected at least 8B, where it begins"},
      {"s1: kernel k reads A[..4]", 1, 22, "found '..', expected a size"},
      {"s1: kernel k reads A[0-4]", 1, 23, "found '-4', expected '..'"},
      {"s1: kernel k reads A[0..4", 1, 26, "found the end of the line, expected ']'"},
      {"s1: kernel k reads A[0..4KiB pitch 0 width 0]", 1, 36,
       "found a pitch of 0, expected at least 1"},
      {"s1: kernel k reads A[0..4KiB pitch 64]", 1, 38, "found ']', expected 'width'"},
      {"s1: kernel k reads A[0..4KiB pitch 64 width 65]", 1, 45,
       "found the width 65B, expected at most 64B, the pitch"},
      {"s1: kernel k for", 1, 17, "found the end of the line, expected a duration"},
      {"s1: kernel k for 5", 1, 18,
       "found '5', expected a duration, which has a unit: ns, us, ms or s"},
      {"s1: kernel k for 5 us", 1, 18,
       "found '5', expected a duration, which has a unit: ns, us, ms or s"},
      {"s1: kernel k for 5sec", 1, 18, "found '5sec', expected a duration in ns, us, ms or s"},
      {"s1: kernel k for 0.5ns", 1, 18, "found '0.5ns', expected a duration in whole nanoseconds"},
      {"s1: kernel k for 1.0000000001s", 1, 18,
       "found '1.0000000001s', expected a duration in whole nanoseconds"},
      {"s1: kernel k for -5us", 1, 18, "found '-5us', expected a duration, which is not negative"},
      {"s1: kernel k for 9223372037s", 1, 18,
       "found '9223372037s', expected a duration of at most 9223372036s"},
      {"s1: kernel k for 5us for 6us", 1, 22, "found 'for', expected 'for' once"},
      {"s1: kernel k blocks 4294967296", 1, 21,
       "found '4294967296', expected a whole number from 0 to 4294967295"},
      {"s1: kernel k blocks 1 blocks 2", 1, 23, "found 'blocks', expected this word once"},
      {"s1: kernel k thread 32", 1, 14,
       "found 'thread', expected 'reads', 'writes', 'updates', 'for', 'blocks', 'threads' or "
       "the end of the statement; did you mean 'threads'?"},
      {"s1: kernel k sync", 1, 14,
       "found 'sync', expected 'reads', 'writes', 'updates', 'for', 'blocks', 'threads' or the "
       "end of the statement"},
      {"s1: call c blocks 2", 1, 12,
       "found 'blocks', expected 'reads', 'writes', 'updates', 'for' or the end of the "
       "statement"},
      {"s1: copy A B", 1, 12, "found 'B', expected '->'"},
      {"s1: copy A -> ", 1, 15, "found the end of the line, expected memory"},
      {"s1: copy A,B -> B", 1, 11, "found ',', expected '->'"},
      {"s1: copy A -> B 4 KiB", 1, 19,
       "found 'KiB', expected the end of the statement: a unit follows its number without a "
       "blank"},
      {"s1: copy A -> B sync", 1, 17,
       "found 'sync', expected the end of the statement: the synchronous forms exist only on "
       "'legacy' and 'perthread'"},
      {"legacy: copy A -> B sync sync", 1, 26, "found 'sync', expected 'sync' once"},
      {"s1: fill A 0", 1, 12, "found '0', expected the end of the statement"},
      {"s1: record", 1, 11, "found the end of the line, expected an event"},
      {"s1: record s2", 1, 12, "found the stream 's2', expected an event; did you mean 'e2'?"},
      {"s1: record e3", 1, 12,
       "found the unknown name 'e3', expected an event; did you mean 'e1'?"},
      {"s1: wait e1 extern", 1, 13,
       "found 'extern', expected 'external' or the end of the statement; did you mean "
       "'external'?"},
      {"s1: alloc A 4KiB", 1, 11,
       "found 'A', expected a name that is free: it is the memory of line 1"},
      {"s1: alloc X", 1, 12, "found the end of the line, expected a size"},
      {"s1: alloc e1 4KiB", 1, 11,
       "found 'e1', expected a name that is free: it is the event of line 4"},
      {"s1: alloc X 4KiB; alloc X 4KiB", 1, 25,
       "found 'X', expected a name that is free: it is the memory of line 6"},
      {"s1: free e1", 1, 10, "found the event 'e1', expected memory"},
      {"s1: set f 1", 1, 11, "found '1', expected '='"},
      {"s1: set f = -1", 1, 13, "found '-1', expected a whole number from 0 to 4294967295"},
      {"s1: set f = 4294967296", 1, 13,
       "found '4294967296', expected a whole number from 0 to 4294967295"},
      {"s1: set e1 = 1", 1, 9, "found the event 'e1', expected a flag"},
      {"s1: await f > 1", 1, 13, "found '>', expected '>=', '==' or '&'"},
      {"s1: await f = 1", 1, 13, "found '=', expected '>=', '==' or '&'"},
      {"s1: begin locally", 1, 11,
       "found 'locally', expected 'global', 'threadlocal', 'relaxed' or the end of the "
       "statement"},
      {"s1: end", 1, 8, "found the end of the line, expected a name for the graph"},
      {"s1: end A", 1, 9, "found 'A', expected a name that is free: it is the memory of line 1"},
      {"s1: launch g", 1, 12, "found the unknown name 'g', expected a graph"},
      {"s1: launch A", 1, 12, "found the memory 'A', expected a graph"},
      {"s1: fault", 1, 10,
       "found the end of the line, expected the name of a CUDA error without 'cudaError'"},
      {"s1: fault Success", 1, 11,
       "found 'Success', expected the name of a CUDA error without 'cudaError'"},
      {"s1: fault cudaErrorIllegalAddress", 1, 11,
       "found 'cudaErrorIllegalAddress', expected the name of a CUDA error without "
       "'cudaError'; did you mean 'IllegalAddress'?"},
      {"s1: fault IllegalAdress", 1, 11,
       "found 'IllegalAdress', expected the name of a CUDA error without 'cudaError'; did you "
       "mean 'IllegalAddress'?"},
      {"s1: query s1", 1, 5,
       "found 'query', expected an operation of a stream: this one is the host's, written "
       "behind 'host:'"},
      {"s1: sync", 1, 5,
       "found 'sync', expected an operation of a stream: this one is the host's, written "
       "behind 'host:'"},
      {"s1: kernel k @", 1, 14,
       "found '@', expected 'reads', 'writes', 'updates', 'for', 'blocks', 'threads' or the "
       "end of the statement"},
      {"s1: kernel k é", 1, 14,
       "found 'é', expected 'reads', 'writes', 'updates', 'for', 'blocks', 'threads' or the "
       "end of the statement"},
  });
}

}  // namespace millrace::test
