// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Traces and reports in files, with errors that name the file.

#include <millrace/trace.hpp>

#include <string>

namespace millrace::cli {

/// Each throws InputError where the file cannot be read or written.
Trace read_trace_file(const std::string& path);
void write_trace_file(const Trace& trace, const std::string& path);
void write_chrome_file(const Trace& trace, const std::string& path);
void write_text_file(const std::string& text, const std::string& path);
/// Throws InputError where writing `output` would overwrite `other`; an empty name is no file.
void refuse_same_file(const std::string& output, const std::string& other);

}  // namespace millrace::cli
