// Words that other programs have for what a case says in another way.
#pragma once

#include <string>

namespace weft {

// What to write instead of a text that a key does not know; empty where nothing is known of it.
// Case and the signs between words do not matter.
std::string remedy_for_word_of_others(const std::string &key, const std::string &text);

} // namespace weft
