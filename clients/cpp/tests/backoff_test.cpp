#include "backoff.h"

#include <gtest/gtest.h>

#include <vector>

namespace referee {

std::vector<long> waits(Backoff& backoff, int breaks, double chance) {
    std::vector<long> all;
    while (breaks-- > 0) all.push_back(backoff.next({}, chance).count());
    return all;
}

TEST(Backoff, WaitsDoubleUpToTenSeconds) {
    Backoff backoff;
    const std::vector<long> expected{500, 1'000, 2'000, 4'000, 8'000, 10'000, 10'000};
    EXPECT_EQ(waits(backoff, 7, 0.5), expected);
}

TEST(Backoff, ChanceTakesAwayOrAddsUpToAHalf) {
    Backoff backoff;
    EXPECT_EQ(backoff.next({}, 0).count(), 250);
    EXPECT_EQ(backoff.next({}, 1).count(), 1'500);
}

TEST(Backoff, AfterASessionOfTenSecondsTheFirstWaitIsShortAgain) {
    Backoff backoff;
    waits(backoff, 40, 0.5);
    const Backoff::Clock::time_point then;
    backoff.welcomed(then);
    EXPECT_EQ(backoff.next(then + std::chrono::seconds(10), 0.5).count(), 500);
    EXPECT_EQ(backoff.next(then + std::chrono::seconds(20), 0.5).count(), 1'000);
}

TEST(Backoff, AfterASessionThatBrokeSoonAfterItsWelcomeTheWaitIsAsLongAsWithoutOne) {
    Backoff backoff;
    waits(backoff, 2, 0.5);
    const Backoff::Clock::time_point then;
    backoff.welcomed(then);
    EXPECT_EQ(backoff.next(then + std::chrono::milliseconds(9'999), 0.5).count(), 2'000);
}

TEST(Backoff, AfterDrainingNobodyComesEarlierThanAskedForAndItCountsAsNoFailure) {
    Backoff backoff;
    const std::chrono::milliseconds away{2'000};
    EXPECT_EQ(backoff.after_draining(away, 0).count(), 2'000);
    EXPECT_EQ(backoff.after_draining(away, 1).count(), 2'500);
    EXPECT_EQ(backoff.next({}, 0.5).count(), 500);
}

}  // namespace referee
