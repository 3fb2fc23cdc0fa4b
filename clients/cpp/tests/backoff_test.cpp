#include "backoff.h"

#include <gtest/gtest.h>

#include <vector>

namespace referee {

std::vector<long> pauses(Backoff& backoff, int count, double random) {
    std::vector<long> all;
    while (count-- > 0) all.push_back(backoff.next({}, random).count());
    return all;
}

TEST(Backoff, PausesDoubleUpToTenSeconds) {
    Backoff backoff;
    const std::vector<long> expected{500, 1'000, 2'000, 4'000, 8'000, 10'000, 10'000};
    EXPECT_EQ(pauses(backoff, 7, 0.5), expected);
}

TEST(Backoff, TheRandomFactorIsFromOneHalfToThreeHalves) {
    Backoff backoff;
    EXPECT_EQ(backoff.next({}, 0).count(), 250);
    EXPECT_EQ(backoff.next({}, 1).count(), 1'500);
}

TEST(Backoff, ASessionOfTenSecondsResetsTheBackoff) {
    Backoff backoff;
    pauses(backoff, 40, 0.5);
    const Backoff::Clock::time_point start;
    backoff.on_welcome(start);
    EXPECT_EQ(backoff.next(start + std::chrono::seconds(10), 0.5).count(), 500);
    EXPECT_EQ(backoff.next(start + std::chrono::seconds(20), 0.5).count(), 1'000);
}

TEST(Backoff, AShorterSessionDoesNotResetTheBackoff) {
    Backoff backoff;
    pauses(backoff, 2, 0.5);
    const Backoff::Clock::time_point start;
    backoff.on_welcome(start);
    EXPECT_EQ(backoff.next(start + std::chrono::milliseconds(9'999), 0.5).count(), 2'000);
}

TEST(Backoff, DrainingCausesNoShorterPauseThanRequestedAndIsNoFailure) {
    Backoff backoff;
    const std::chrono::milliseconds reconnect_delay{2'000};
    EXPECT_EQ(backoff.after_draining(reconnect_delay, 0).count(), 2'000);
    EXPECT_EQ(backoff.after_draining(reconnect_delay, 1).count(), 2'500);
    EXPECT_EQ(backoff.next({}, 0.5).count(), 500);
}

}  // namespace referee
