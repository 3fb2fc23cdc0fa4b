#include "nonces.h"

#include <gtest/gtest.h>

namespace referee {

const std::string TRUE_SEED(32, '\7');

api::NonceRequest nonce_request(unsigned seat) {
    api::NonceRequest request;
    request.set_match_id("m1");
    request.set_seat(seat);
    request.set_commitment(sha256(TRUE_SEED));
    return request;
}

// Returns what a referee publishes that committed to one seed and revealed another.
api::SeedCommitment published(const std::string& committed, const std::string& revealed,
                              const std::vector<std::string>& nonces = {}) {
    api::SeedCommitment commitment;
    commitment.set_commitment(sha256(committed));
    commitment.set_seed(revealed);
    for (const std::string& nonce : nonces) {
        api::SeatNonce& listed = *commitment.add_nonces();
        listed.set_seat(static_cast<unsigned>(commitment.nonces_size() - 1));
        listed.set_nonce(nonce);
    }
    return commitment;
}

class NoncesTest : public ::testing::Test {
  protected:
    Nonces nonces(Nonces::Choose choose) {
        return {std::move(choose),
                [this](const std::string& problem) { reports.push_back(problem); }};
    }

    void expect_reported(const api::SeedCommitment& end, const std::vector<std::string>& expected) {
        reports.clear();
        Nonces mine = nonces([](const api::NonceRequest&) { return "mine"; });
        mine.on_request(nonce_request(0));
        mine.on_match_started("m1", published(TRUE_SEED, ""));
        mine.on_match_ended("m1", end);
        mine.on_match_ended("m1", end);
        EXPECT_EQ(reports, expected);
    }

    std::vector<std::string> reports;
};

TEST_F(NoncesTest, SHA256IsThatOfTheStandard) {
    const std::string hash = sha256("abc");
    EXPECT_EQ(hash.size(), 32U);
    EXPECT_EQ(hash.substr(0, 4), "\xba\x78\x16\xbf");
}

TEST_F(NoncesTest, EachRequestGetsARandomNonceAndARepeatedOneTheSameAgain) {
    Nonces random = nonces([](const api::NonceRequest&) { return random_nonce(); });
    const api::Nonce first = random.on_request(nonce_request(1)).nonce();
    EXPECT_EQ(first.match_id(), "m1");
    EXPECT_EQ(first.seat(), 1U);
    EXPECT_EQ(first.nonce().size(), NONCE_BYTES);
    EXPECT_EQ(random.on_request(nonce_request(1)).nonce().nonce(), first.nonce());
    EXPECT_NE(random.on_request(nonce_request(0)).nonce().nonce(), first.nonce());
    EXPECT_TRUE(reports.empty());
}

TEST_F(NoncesTest, ASeedThatDoesNotFitIsReportedOnceAtTheEnd) {
    const std::string replaced = "match m1: the referee has replaced its commitment to the seed";
    const std::string wrong_seed =
        "match m1: the seed of the referee does not match its commitment";
    const std::string without =
        "match m1: the seed was made without the nonce of seat 0: it was late, or the referee "
        "ignored it";
    const std::string another =
        "match m1: the seed was made with another nonce of seat 0 than the one that was sent";
    expect_reported(published(TRUE_SEED, TRUE_SEED, {"mine", ""}), {});
    expect_reported(published(TRUE_SEED, "", {"mine", ""}), {});
    expect_reported({}, {});
    expect_reported(published(TRUE_SEED, "other", {"mine", ""}), {wrong_seed});
    expect_reported(published("other", "other", {"mine", ""}), {replaced, wrong_seed});
    expect_reported(published(TRUE_SEED, TRUE_SEED, {"", "theirs"}), {without});
    expect_reported(published(TRUE_SEED, TRUE_SEED), {without});
    expect_reported(published(TRUE_SEED, TRUE_SEED, {"theirs"}), {another});
}

TEST_F(NoncesTest, TheSeedOfAMatchWithoutNoncesIsCheckedToo) {
    Nonces random = nonces([](const api::NonceRequest&) { return random_nonce(); });
    random.on_match_started("m1", published(TRUE_SEED, ""));
    random.on_match_ended("m1", published(TRUE_SEED, "other"));
    EXPECT_EQ(reports.size(), 1U);
}

TEST_F(NoncesTest, ARandomNonceReplacesAnInvalidOneOfTheBot) {
    const std::vector<Nonces::Choose> invalid = {
        [](const api::NonceRequest&) { return std::string(MAX_NONCE_BYTES + 1, 'x'); },
        [](const api::NonceRequest&) -> std::string { throw std::runtime_error("no idea"); },
        [](const api::NonceRequest&) -> std::string { throw "no idea"; },
    };
    for (const Nonces::Choose& choose : invalid) {
        reports.clear();
        EXPECT_EQ(nonces(choose).on_request(nonce_request(0)).nonce().nonce().size(), NONCE_BYTES);
        EXPECT_EQ(reports.size(), 1U);
    }
}

}  // namespace referee
