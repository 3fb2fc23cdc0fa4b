#include "utf8.h"

namespace referee::utf8 {

namespace {

unsigned byte_at(const std::string& bytes, std::size_t at) {
    return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
}

// Returns the length in bytes of the character that begins there; 0: none begins there. By table
// 3-7 of the Unicode standard, the second byte of some has a narrower range: overlong forms,
// surrogates and values beyond U+10FFFF are excluded.
std::size_t length(const std::string& bytes, std::size_t at) {
    const unsigned first = byte_at(bytes, at);
    if (first < 0x80) return 1;
    const std::size_t all = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (all == 0 || first > 0xF4) return 0;
    const unsigned lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    const unsigned second = byte_at(bytes, at + 1);
    if (second < lowest || second > highest) return 0;
    for (std::size_t more = 2; more < all; ++more) {
        if (byte_at(bytes, at + more) >> 6 != 2) return 0;
    }
    return all;
}

}  // namespace

Text read(const std::string& bytes, std::size_t at_most) {
    Text text;
    for (std::size_t at = 0; at < bytes.size(); ++text.chars) {
        const std::size_t many = length(bytes, at);
        text.valid = text.valid && many > 0;
        if (text.chars < at_most) text.beginning += many ? bytes.substr(at, many) : "\xEF\xBF\xBD";
        at += many ? many : 1;
    }
    return text;
}

}  // namespace referee::utf8
