// SPDX-License-Identifier: Apache-2.0
#include "bad_scripts.hpp"

#include <catch2/catch_test_macros.hpp>

namespace millrace::test {

TEST_CASE("Declarations that are wrong say what was expected where") {
  check_bad({
      {"bufer C 64KiB", 1, 1, "found 'bufer', expected a statement; did you mean 'buffer'?"},
      {"buffer", 1, 7, "found the end of the line, expected a name for the memory"},
      {"buffer C", 1, 9, "found the end of the line, expected a size or another name"},
      {"buffer C pinned", 1, 16, "found the end of the line, expected a size or another name"},
      {"buffer C 64 KiB", 1, 13,
       "found 'KiB', expected the end of the statement: a unit follows its number without a "
       "blank"},
      {"buffer C 64XiB", 1, 10, "found '64XiB', expected a size in B, KiB, MiB, GiB, KB, MB or GB"},
      {"buffer C 1.5KiB", 1, 10,
       "found '1.5KiB', expected a size, which is a whole number with a unit"},
      {"buffer C -1", 1, 10, "found '-1', expected a size, which is not negative"},
      {"buffer C 18446744073709551616", 1, 10,
       "found '18446744073709551616', expected a size of less than 2^64 bytes"},
      {"buffer C 17179869184GiB", 1, 10,
       "found '17179869184GiB', expected a size of less than 2^64 bytes"},
      {"buffer C 4KiB pinnned", 1, 15,
       "found 'pinnned', expected 'device', 'pinned', 'pageable', 'managed' or the end of the "
       "statement; did you mean 'pinned'?"},
      {"buffer C 4KiB pinned managed", 1, 22, "found 'managed', expected the end of the statement"},
      {"buffer C 4KiB on 0 on 1", 1, 20, "found 'on', expected each option once"},
      {"buffer C 4KiB on first", 1, 18, "found 'first', expected a whole number"},
      {"buffer A 4KiB", 1, 8,
       "found 'A', expected a name that is free: it is the memory of line 1"},
      {"buffer s1 4KiB", 1, 8,
       "found 's1', expected a name that is free: it is the stream of line 3"},
      {"buffer legacy 4KiB", 1, 8,
       "found 'legacy', expected a name that is free: it is a stream that always exists"},
      {"buffer C C 4KiB", 1, 10,
       "found 'C', expected a name that is free: it is the memory of line 6"},
      {"buffer 4KiB", 1, 8, "found '4KiB', expected a name for the memory"},
      {"buffer C-D 4KiB", 1, 8, "found 'C-D', expected a name for the memory"},
      {"buffer C#1 4KiB", 1, 8, "found 'C#1', expected a name for the memory"},
      {"buffer C, D 4KiB", 1, 9, "found ',', expected a size or another name"},
      {"stream", 1, 7, "found the end of the line, expected a name for the stream"},
      {"stream host", 1, 8,
       "found 'host', expected another name: 'host:' is what the host does itself"},
      {"stream device", 1, 8,
       "found 'device', expected another name: 'sync device' waits for the current device"},
      {"stream s3 priority high", 1, 20, "found 'high', expected a whole number"},
      {"stream s3 priority 3000000000", 1, 20,
       "found '3000000000', expected a whole number from -2147483647 to 2147483647"},
      {"stream s3 blocking nonblocking", 1, 20, "found 'nonblocking', expected each option once"},
      {"stream s3 on", 1, 13, "found the end of the line, expected a whole number"},
      {"stream s3 on -1", 1, 14, "found '-1', expected a whole number from 0 to 2147483647"},
      {"event device", 1, 7,
       "found 'device', expected another name: 'sync device' waits for the current device"},
      {"event e3 timing timing", 1, 17, "found 'timing', expected each option once"},
      {"event perthread", 1, 7,
       "found 'perthread', expected a name that is free: it is a stream that always exists"},
      {"flag", 1, 5, "found the end of the line, expected a name for the flag"},
      {"flag f", 1, 6, "found 'f', expected a name that is free: it is the flag of line 5"},
      {"device", 1, 7, "found the end of the line, expected a profile: 'ideal', 'h200' or a file"},
      {"device ideal h200", 1, 14, "found 'h200', expected the end of the statement"},
      {"device \"open.profile", 1, 8,
       "found '\"open.profile', expected a second '\"' on this line"},
      {"device \"\"", 1, 8, "found '\"\"', expected a profile: 'ideal', 'h200' or a file"},
      {"device a\"b", 1, 8,
       "found 'a\"b', expected a profile with a quote on either side or on none"},
      {"gpus", 1, 5, "found the end of the line, expected a whole number"},
      {"gpus 0", 1, 6, "found '0', expected a whole number from 1 to 64"},
      {"gpus 65", 1, 6, "found '65', expected a whole number from 1 to 64"},
      {"gpus two", 1, 6, "found 'two', expected a whole number"},
      {"gpus 2; gpus 2", 1, 9,
       "found 'gpus', expected one 'gpus': the number of devices is given already"},
      {"device ideal; device h200", 1, 15,
       "found 'device', expected one 'device': the profile is given already"},
  });
}

}  // namespace millrace::test
