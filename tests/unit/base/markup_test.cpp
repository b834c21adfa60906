// Text put into XML and HTML.
#include "base/markup.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Markup, EscapesWhatWouldBeRead) {
  EXPECT_EQ(markup_text("<script>alert('a & \"b\"')</script>"),
            "&lt;script&gt;alert(&#39;a &amp; &quot;b&quot;&#39;)&lt;/script&gt;");
  EXPECT_EQ(markup_text("k = 390 W/(m K), größer"), "k = 390 W/(m K), größer");
}

TEST(Markup, HasNoControlCharactersAndNoBytesThatAreNoText) {
  EXPECT_EQ(markup_text("a\x1b[31m\xff\nb"), "a\\x1b[31m\\xff\nb");
}

} // namespace
} // namespace weft
