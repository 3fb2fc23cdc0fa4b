// Text that a message can contain: protobuf sends bytes that are not UTF-8 unchanged, and a referee
// cannot parse a message with such bytes.
#pragma once

#include <cstddef>
#include <string>

namespace referee::utf8 {

struct Text {
    // The first characters, with U+FFFD for each byte that belongs to none.
    std::string beginning;
    // How many characters there are in total.
    std::size_t chars = 0;
    // Whether all bytes were UTF-8.
    bool valid = true;
};

// Reads a text. `at_most`: how many characters the beginning has.
Text read(const std::string& bytes, std::size_t at_most);

}  // namespace referee::utf8
