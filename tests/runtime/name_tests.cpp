// SPDX-License-Identifier: Apache-2.0
#include <millrace/mention.hpp>
#include <millrace/name.hpp>

#include <catch2/catch_test_macros.hpp>

#include <thread>
#include <vector>

namespace millrace {
namespace {

TEST_CASE("equal texts give equal names") {
  const std::string text = "upload";
  CHECK(Name("upload") == Name(text));
  CHECK_FALSE(Name("upload") == Name("download"));
  CHECK(Name(text).text() == "upload");
  CHECK(Name("upload").text().data()[6] == '\0');
}

TEST_CASE("the empty name is no name") {
  CHECK(Name().empty());
  CHECK(Name("") == Name());
  CHECK(Name().text().empty());
}

TEST_CASE("names can be given by many threads at once") {
  std::vector<std::vector<Name>> names(4);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (auto& mine : names) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 500; ++i) mine.emplace_back("shared" + std::to_string(i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : names) CHECK(mine == names.front());
  CHECK(names.front()[499].text() == "shared499");
}

TEST_CASE("a message mentions a thing by its name and the place where it was made") {
  CHECK(mention("event", "done", {"app.cpp", 12, 0}) == "event 'done' (made at app.cpp:12)");
  CHECK(mention("event", "", {"app.cpp", 12, 0}) == "event (made at app.cpp:12)");
  CHECK(mention("event", "done") == "event 'done'");
  CHECK(mention("default stream", {}) == "default stream");
}

}  // namespace
}  // namespace millrace
