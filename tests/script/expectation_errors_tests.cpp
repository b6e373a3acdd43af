// SPDX-License-Identifier: Apache-2.0
#include "bad_scripts.hpp"

#include <catch2/catch_test_macros.hpp>

namespace millrace::test {

TEST_CASE("Expectations that are wrong say what was expected where") {
  check_bad({
      {"expect", 1, 7,
       "found the end of the line, expected what to expect, such as 'clean', 'race A' or "
       "'copy1 before use'"},
      {"expect nothing", 1, 8,
       "found 'nothing', expected what to expect, such as 'clean', 'race A' or 'copy1 before "
       "use'"},
      {"expect claen", 1, 8,
       "found 'claen', expected what to expect, such as 'clean', 'race A' or 'copy1 before "
       "use'; did you mean 'clean'?"},
      {"expect clean A", 1, 14, "found 'A', expected the end of the statement"},
      {"expect race", 1, 12, "found the end of the line, expected the name of memory"},
      {"expect race C", 1, 13, "found 'C', expected memory of this script; did you mean 'A'?"},
      {"expect race s1", 1, 13, "found 's1', expected memory of this script"},
      {"expect race A between", 1, 22,
       "found the end of the line, expected the name of an operation"},
      {"expect race A between k1", 1, 25,
       "found the end of the line, expected the name of an operation"},
      {"s1: kernel k1\nexpect race A between k1 k2", 2, 26,
       "found 'k2', expected an operation of this script; did you mean 'k1'?"},
      {"s1: kernel fill_a\nexpect fill_b before fill_a", 2, 8,
       "found 'fill_b', expected an operation of this script; did you mean 'fill_a'?"},
      {"s1: kernel k1\nexpect k1 befor k1", 2, 11,
       "found 'befor', expected 'before', 'unordered' or 'overlaps'; did you mean 'before'?"},
      {"s1: kernel k1\nexpect k1 before", 2, 17,
       "found the end of the line, expected the name of an operation"},
      {"s1: kernel k1\nexpect k1 before k1 k1", 2, 21,
       "found 'k1', expected the end of the statement"},
      {"s1: kernel k1\nexpect k1#0 before k1", 2, 8,
       "found 'k1#0', expected an instance from 1 on: NAME#1 is the first"},
      {"s1: copy A -> B\nexpect copy2 before copy1", 2, 8,
       "found 'copy2', expected an operation of this script; did you mean 'copy1'?"},
      {"expect fill1 before copy1", 1, 8, "found 'fill1', expected an operation of this script"},
      {"expect race A between read write", 1, 23,
       "found 'read', expected an operation of this script"},
      {"expect use-after-free e1", 1, 23, "found 'e1', expected memory of this script"},
      {"expect use-after-destroy A", 1, 26,
       "found 'A', expected a stream, an event or a graph of this script"},
      {"expect unrecorded-wait s1", 1, 24,
       "found 's1', expected an event of this script; did you mean 'e1'?"},
      {"expect use-after-fre A", 1, 8,
       "found 'use-after-fre', expected what to expect, such as 'clean', 'race A' or 'copy1 "
       "before use'; did you mean 'use-after-free'?"},
      {"expect deadlock s1", 1, 17, "found 's1', expected the end of the statement"},
      {"expect error", 1, 13,
       "found the end of the line, expected the name of a CUDA error without 'cudaError'"},
      {"expect error Success", 1, 14,
       "found 'Success', expected the name of a CUDA error without 'cudaError'"},
      {"expect error NotRedy", 1, 14,
       "found 'NotRedy', expected the name of a CUDA error without 'cudaError'; did you mean "
       "'NotReady'?"},
      {"expect error cudaErrorNotReady", 1, 14,
       "found 'cudaErrorNotReady', expected the name of a CUDA error without 'cudaError'; did "
       "you mean 'NotReady'?"},
      {"expect ready", 1, 13, "found the end of the line, expected a stream or an event"},
      {"expect ready A", 1, 14, "found the memory 'A', expected a stream or an event"},
      {"expect pending device", 1, 16,
       "found the unknown name 'device', expected a stream or an event"},
      {"expect start k = 5us", 1, 14, "found 'k', expected an operation of this script"},
      {"s1: kernel k1\nexpect start k1 5us", 2, 17, "found '5us', expected '='"},
      {"s1: kernel k1\nexpect start k1 = -5us", 2, 19,
       "found '-5us', expected a duration, which is not negative"},
      {"expect end", 1, 11, "found the end of the line, expected '='"},
      {"expect end = soon", 1, 14, "found 'soon', expected a duration"},
      {"expect elapsed e1 e2 = 5", 1, 24,
       "found '5', expected a duration, which has a unit: ns, us, ms or s"},
      {"expect elapsed e1 A = 5us", 1, 19, "found the memory 'A', expected an event"},
  });
}

}  // namespace millrace::test
