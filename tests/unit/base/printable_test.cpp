// Texts of users' files in messages: shown whole, and unable to cut them or to steer a terminal.
#include "base/printable.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace weft {
namespace {

using namespace std::string_literals;

TEST(Printable, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\0b"s), "a\\x00b");
  EXPECT_EQ(printable("\x1b[31mred\x7f\r"), "\\x1b[31mred\\x7f\\x0d");
  EXPECT_EQ(printable("lines\n\tstay"), "lines\n\tstay");
  EXPECT_EQ(printable_line("lines\n\tstay"), "lines\\n\\tstay");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"), // a control character in two bytes
            "\\xc2\\x9b31m");
}

TEST(Printable, LeavesTextInUtf8) {
  for (const char *text : {"", "plain",
                           "Gr\xc3\xb6\xc3\x9f"
                           "e",
                           "\xe2\x88\x87\xf0\x9d\x91\xa2"})
    EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xe2\x88"), "\\xe2\\x88");
}

TEST(Printable, ShortensAtWholeCharacters) {
  EXPECT_EQ(shortened("four", 4), "four");
  EXPECT_EQ(shortened("fours", 4), "four ...");
  EXPECT_EQ(shortened("a\xc3\xb6", 2), "a ...");
}

TEST(Printable, MessagesOfErrors) {
  const Error error(ErrorKind::input,
                    {.what = "what\0is"s, .where = "a\0b\nc: [d]"s, .found = "\x1b[2J"});
  EXPECT_STREQ(error.what(), "a\\x00b\\nc: [d]: what\\x00is\n  found:   \\x1b[2J");
}

} // namespace
} // namespace weft
