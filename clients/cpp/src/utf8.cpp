#include "utf8.h"

namespace referee::utf8 {

namespace {

unsigned byte_at(const std::string& bytes, std::size_t at) {
    return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
}

// Returns the length in bytes of the character at this offset; 0 if it is invalid. By table 3-7 of
// the Unicode standard, the second byte of some characters has a narrower range, which excludes
// overlong forms, surrogates and values beyond U+10FFFF.
std::size_t length(const std::string& bytes, std::size_t at) {
    const unsigned first = byte_at(bytes, at);
    if (first < 0x80) return 1;
    const std::size_t size = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (size == 0 || first > 0xF4) return 0;
    const unsigned lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    const unsigned second = byte_at(bytes, at + 1);
    if (second < lowest || second > highest) return 0;
    for (std::size_t offset = 2; offset < size; ++offset) {
        if (byte_at(bytes, at + offset) >> 6 != 2) return 0;
    }
    return size;
}

}  // namespace

Text read(const std::string& bytes, std::size_t max_prefix_chars) {
    Text text;
    for (std::size_t at = 0; at < bytes.size(); ++text.chars) {
        const std::size_t size = length(bytes, at);
        text.valid = text.valid && size > 0;
        if (text.chars < max_prefix_chars) {
            text.prefix += size ? bytes.substr(at, size) : "\xEF\xBF\xBD";
        }
        at += size ? size : 1;
    }
    return text;
}

}  // namespace referee::utf8
