// SPDX-License-Identifier: Apache-2.0
#include "logging_host.hpp"

#include <millrace/script.hpp>

#include <catch2/catch_test_macros.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::test {
namespace {

using Log = std::vector<std::string>;

struct Result {
  Log failures;  ///< "LINE: message"
  Log log;
  bool stopped = false;
  std::string unsupported;
};

Result run(std::string_view text,
           std::initializer_list<std::pair<const std::string, Errc>> errors = {},
           std::initializer_list<std::pair<const std::string, int>> pending = {}) {
  LoggingHost host;
  host.machine.errors = {errors.begin(), errors.end()};
  host.machine.pending = {pending.begin(), pending.end()};
  const ScriptRun run = host.run(text);
  Result result;
  for (const ScriptRun::Failure& failure : run.failures) {
    result.failures.push_back(std::to_string(failure.line) + ": " + failure.message);
  }
  result.log = host.machine.log;
  result.stopped = run.stopped;
  result.unsupported = run.unsupported;
  return result;
}

}  // namespace

TEST_CASE("An error that nothing expects fails the script and stops it there") {
  const Result result = run("stream s\ns: kernel k\nhost: sync s\nhost: work 1us\n",
                            {{"sync stream s", Errc::LaunchFailure}});
  CHECK(result.failures == Log{"3: host: sync s fails with LaunchFailure, which nothing expects: "
                               "as the test wants it"});
  CHECK(result.stopped);
  CHECK(result.log.back() == "3 sync stream s");
}

TEST_CASE("An error that is expected is none") {
  const Result result =
      run("stream s\nhost: sync s\nexpect ready s\nexpect error LaunchFailure\nhost: work 1us\n",
          {{"sync stream s", Errc::LaunchFailure}});
  CHECK(result.failures.empty());
  CHECK(!result.stopped);
  CHECK(result.log ==
        Log{"1 stream s priority 0 on 0", "2 sync stream s", "(silent) 3 query s", "5 work 1us"});
}

TEST_CASE("Only the last single operation is expected to fail") {
  const Result result = run("stream s\nhost: sync s; work 1us\nexpect error LaunchFailure\n",
                            {{"sync stream s", Errc::LaunchFailure}});
  CHECK(result.stopped);
  CHECK(result.failures.size() == 1);
}

TEST_CASE("What succeeds or fails otherwise than expected differs") {
  const Result success =
      run("stream s\nhost: sync s\nexpect error LaunchFailure\nhost: work 1us\n");
  CHECK(success.failures ==
        Log{"3: expected error LaunchFailure, but 'host: sync s' of line 2 succeeds"});
  CHECK(!success.stopped);
  CHECK(success.log.back() == "4 work 1us");

  const Result other = run("stream s\nhost: sync s\nexpect error LaunchFailure\nhost: work 1us\n",
                           {{"sync stream s", Errc::InvalidValue}});
  CHECK(other.failures == Log{"3: expected error LaunchFailure, but 'host: sync s' of line 2 fails "
                              "with InvalidValue: as the test wants it"});
  CHECK(other.stopped);
  CHECK(other.log.back() == "2 sync stream s");

  CHECK(run("expect error NotReady\n").failures ==
        Log{"1: expected error NotReady, but nothing stands before it in this thread that could "
            "fail"});
}

TEST_CASE("NotReady is a query's answer and a failure of elapsed time") {
  const Result answer =
      run("event e\nhost: query e\nexpect error NotReady\nhost: query e\n", {}, {{"e", 2}});
  CHECK(answer.failures.empty());
  CHECK(run("event e\nhost: query e\nexpect error InvalidValue\n", {}, {{"e", 1}}).failures ==
        Log{"3: expected error InvalidValue, but 'host: query e' of line 2 answers NotReady"});
  CHECK(run("event e\nhost: query e\nexpect error NotReady\n").failures ==
        Log{"3: expected error NotReady, but 'host: query e' of line 2 succeeds"});
  CHECK(run("event e\nhost: elapsed e e\nhost: work 1us\n", {{"elapsed e e", Errc::NotReady}})
            .stopped);
  CHECK(run("event e\nif query e {\n} else {\n  expect error NotReady\n}\nexpect error NotReady\n",
            {}, {{"e", 1}})
            .failures.empty());
}

TEST_CASE("Expecting a state asks from outside of the program") {
  const std::string text = "stream s\nevent e\nexpect ready s\nexpect pending e\n";
  const Result right = run(text, {}, {{"e", 1}});
  CHECK(right.failures.empty());
  CHECK(right.log.back() == "(silent) 4 query e");
  CHECK(run(text, {}, {{"s", 1}}).failures ==
        Log{"3: expected s to be ready, but it is still pending",
            "4: expected e to be pending, but it is ready already"});
  CHECK(run(text, {{"query s", Errc::IllegalAddress}}, {{"e", 1}}).failures ==
        Log{"3: expected s to be ready, but the query fails with IllegalAddress: as the test wants "
            "it"});
}

TEST_CASE("An error in a block is expected in it or behind it") {
  const std::initializer_list<std::pair<const std::string, Errc>> errors{
      {"work 2us", Errc::InvalidValue}};
  CHECK(run("repeat 3 {\n  host: work 2us\n  expect error InvalidValue\n}\n", errors)
            .failures.empty());
  const Result behind =
      run("repeat 3 {\n  host: work 2us; work 3us\n}\nexpect error InvalidValue\nhost: work 1us\n",
          errors);
  CHECK(behind.failures.empty());
  CHECK(behind.log == Log{"2 work 2us", "5 work 1us"});
  CHECK(run("repeat 3 {\n  host: work 2us\n}\n", errors).failures ==
        Log{"2: host: work 2us fails with InvalidValue, which nothing expects: as the test wants "
            "it"});
  CHECK(run("repeat 3 {\n  host: work 1us\n}\nexpect error InvalidValue\n").failures ==
        Log{"4: expected error InvalidValue, but 'repeat 3 {' of line 1 succeeds"});
}

TEST_CASE("A declaration may be expected to fail") {
  const std::initializer_list<std::pair<const std::string, Errc>> errors{
      {"event a timing interprocess on 0", Errc::InvalidValue},
      {"event b timing interprocess on 0", Errc::InvalidValue}};
  const std::string declaration = "host: work 1us\nevent a b timing interprocess\n";
  const Result expected = run(declaration + "expect error InvalidValue\n", errors);
  CHECK(expected.failures.empty());
  CHECK(expected.log.size() == 3);
  const Result unexpected = run(declaration, errors);
  CHECK(unexpected.failures ==
        Log{"2: event a b timing interprocess fails with InvalidValue, which nothing expects: as "
            "the test wants it"});
  CHECK(unexpected.stopped);
  CHECK(unexpected.log.size() == 2);
  CHECK(run(declaration + "expect error InvalidValue\n").failures ==
        Log{"3: expected error InvalidValue, but 'event a b timing interprocess' of line 2 "
            "succeeds"});
}

TEST_CASE("An expected use after destroy brings its error with it") {
  const std::string text = "stream s\nevent e\nhost: destroy e\ns: wait e\nhost: work 1us\n";
  const std::initializer_list<std::pair<const std::string, Errc>> errors{
      {"wait e on s", Errc::InvalidResourceHandle}};
  CHECK(run(text + "expect use-after-destroy e\n", errors).failures.empty());
  CHECK(run(text + "expect use-after-destroy s\n", errors).failures.empty());
  CHECK(run(text, errors).stopped);
  CHECK(run(text + "expect use-after-destroy e\n", {{"wait e on s", Errc::InvalidValue}}).stopped);
}

TEST_CASE("An unexpected error ends all threads of the script at their next statements") {
  const Result result =
      run("thread t {\n  host: work 1us\n}\nthread u {\n  host: work 2us\n  host: work 3us\n}\n"
          "host: join u\nhost: work 4us\n",
          {{"work 2us", Errc::InvalidValue}});
  CHECK(result.stopped);
  CHECK(result.log == Log{"1 thread t", "4 thread u", "5 work 2us", "8 join u"});
}

TEST_CASE("A capability that the backend lacks ends the run, unless its lack is expected") {
  const std::initializer_list<std::pair<const std::string, Errc>> errors{
      {"begin global on s", Errc::NotSupported}};
  const Result lacking = run("stream s\ns: begin\nexpect error InvalidValue\n", errors);
  CHECK(lacking.unsupported == "line 2: s: begin: as the test wants it");
  CHECK(lacking.failures.empty());
  CHECK(!lacking.stopped);
  CHECK(run("stream s\ns: begin\nexpect error NotSupported\n", errors).unsupported.empty());
  CHECK(run("flag f\nhost: work 1us\n", {{"flag f", Errc::NotSupported}}).unsupported ==
        "line 1: flag f: as the test wants it");
}

TEST_CASE("What never came to be is an invalid value") {
  CHECK(run("stream s\ns: begin; end g\nexpect error StreamCaptureUnjoined\ns: launch g\n"
            "expect error InvalidValue\nhost: destroy g\n",
            {{"end g on s", Errc::StreamCaptureUnjoined}})
            .failures == Log{"6: host: destroy g fails with InvalidValue, which nothing expects: "
                             "graph 'g' never came to be"});
  CHECK(run("host: malloc X 4\nexpect error MemoryAllocation\nhost: write X\n",
            {{"allocate X 4 device on 0", Errc::MemoryAllocation}})
            .failures == Log{"3: host: write X fails with InvalidValue, which nothing expects: "
                             "memory 'X' never came to be"});
  CHECK(run("event e\nif query e {\n} else {\n  thread t {\n  }\n}\nhost: join t\n"
            "expect error InvalidValue\n")
            .failures.empty());
}

TEST_CASE("A device that does not exist cannot become the current one") {
  CHECK(run("host: device 2\nexpect error InvalidDevice\nhost: device -1\n"
            "expect error InvalidDevice\nlegacy: kernel k\nhost: device 1\n")
            .failures.empty());
}

TEST_CASE("A run that is given up passes through the script") {
  struct GivenUp {};
  class Host final : public ScriptHost {
   public:
    LoggingBackend machine;
    Backend& backend() override { return machine; }
    Handle start_thread(Name, std::function<void()>, const CallSite&) override { return 1; }
    void join_thread(Handle, const CallSite&) override { throw GivenUp{}; }
    void raise(Name, const CallSite&) override {}
    void await(Name, const CallSite&) override {}
    void work(Duration, const CallSite&) override {}
  };
  Host host;
  ScriptRun run;
  const Script script =
      Script::parse("thread t {\n}\nhost: work 1us\nexpect error InvalidValue\nhost: join t\n");
  CHECK_THROWS_AS(run_script(script, host, run), GivenUp);
  CHECK(run.failures.size() == 1);
}

}  // namespace millrace::test
