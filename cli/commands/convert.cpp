// SPDX-License-Identifier: Apache-2.0
#include "commands/commands.hpp"
#include "commands/files.hpp"
#include "input.hpp"

namespace millrace::cli {

int convert(const ConvertOptions& options) {
  const std::string from = ending_of(options.in);
  const std::string to = ending_of(options.out);
  if (from == ".mill") {
    throw InputError(options.in + ": is a script: `millrace run " + options.in +
                     " --trace OUT.mtrace" + " --chrome OUT.json` writes the traces of its run");
  }
  if (from != ".mtrace") {
    throw InputError(options.in + ": only .mtrace files can be converted, not '" + from + "'");
  }
  if (to != ".json") {
    throw InputError(options.out +
                     ": a trace can be converted to .json (Perfetto, Chrome), not to '" + to + "'");
  }
  refuse_same_file(options.out, options.in);
  write_chrome_file(read_trace_file(options.in), options.out);
  return exit_yes;
}

}  // namespace millrace::cli
