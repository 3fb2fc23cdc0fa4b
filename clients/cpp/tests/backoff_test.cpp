#include "backoff.h"

#include <gtest/gtest.h>

#include <vector>

namespace referee {

std::vector<long> waits(Backoff& backoff, int breaks, double chance) {
    std::vector<long> all;
    while (breaks-- > 0) all.push_back(backoff.next(chance).count());
    return all;
}

TEST(Backoff, WaitsDoubleUpToTenSeconds) {
    Backoff backoff;
    const std::vector<long> expected{500, 1'000, 2'000, 4'000, 8'000, 10'000, 10'000};
    EXPECT_EQ(waits(backoff, 7, 0.5), expected);
}

TEST(Backoff, ChanceTakesAwayOrAddsUpToAHalf) {
    Backoff backoff;
    EXPECT_EQ(backoff.next(0).count(), 250);
    EXPECT_EQ(backoff.next(1).count(), 1'500);
}

TEST(Backoff, AfterAWelcomeTheFirstWaitIsShortAgain) {
    Backoff backoff;
    waits(backoff, 40, 0.5);
    backoff.welcomed();
    EXPECT_EQ(backoff.next(0.5).count(), 500);
}

}  // namespace referee
