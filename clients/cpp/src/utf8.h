// Text that a message can contain: protobuf sends bytes that are not UTF-8 unchanged, and a referee
// cannot parse a message with such bytes.
#pragma once

#include <cstddef>
#include <string>

namespace referee::utf8 {

struct Text {
    // The first characters, with U+FFFD in place of each invalid byte.
    std::string prefix;
    // The number of characters in the whole text.
    std::size_t chars = 0;
    // Whether the whole text is valid UTF-8.
    bool valid = true;
};

// Reads a text. The prefix has up to `max_prefix_chars` characters.
Text read(const std::string& bytes, std::size_t max_prefix_chars);

}  // namespace referee::utf8
