// Text as a message can carry it: protobuf sends bytes that are not UTF-8 as they are, and a
// referee cannot read a message that has some.
#pragma once

#include <cstddef>
#include <string>

namespace referee::utf8 {

struct Text {
    // The first characters, with U+FFFD for each byte that belongs to none.
    std::string beginning;
    // How many there are in all.
    std::size_t chars = 0;
    // Whether all bytes were UTF-8.
    bool valid = true;
};

// `at_most`: how many characters the beginning has.
Text read(const std::string& bytes, std::size_t at_most);

}  // namespace referee::utf8
