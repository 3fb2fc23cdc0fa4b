#include "settings.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

namespace referee {

class SettingsTest : public testing::Test {
  protected:
    Settings read() const {
        return read_settings([this](const std::string& name) {
            const auto found = environment.find(name);
            return found == environment.end() ? std::nullopt : std::optional(found->second);
        });
    }

    std::string error() const {
        try {
            read();
        } catch (const Misconfigured& misconfigured) {
            return misconfigured.what();
        }
        return "";
    }

    std::map<std::string, std::string> environment{{"BOT_TOKEN", "secret"},
                                                   {"BOT_REFEREE", "referee.example:443"}};
};

TEST_F(SettingsTest, TlsIsNotUsedForThisMachineUnlessACaFileIsSet) {
    for (const char* address : {"localhost:1", "127.0.0.1:1", "127.9.9.9:1", "[::1]:1"}) {
        environment["BOT_REFEREE"] = address;
        environment["BOT_CA"] = "";
        EXPECT_FALSE(read().tls) << address;
        environment["BOT_CA"] = __FILE__;
        EXPECT_TRUE(read().tls) << address;
    }
}

TEST_F(SettingsTest, TheTokenIsReadFromAFileIfItIsNotSet) {
    const std::string file = testing::TempDir() + "token";
    std::ofstream(file) << "from-a-file\n";
    environment["BOT_TOKEN_FILE"] = file;
    EXPECT_EQ(read().token, "secret");
    environment["BOT_TOKEN"] = "";
    EXPECT_EQ(read().token, "from-a-file");
    environment["BOT_TOKEN_FILE"] = "/no/such";
    EXPECT_EQ(error(), "BOT_TOKEN_FILE cannot be read: /no/such");
}

TEST_F(SettingsTest, TlsIsUsedForOtherMachinesUnlessPlaintextIsSet) {
    for (const char* address : {"referee.example:443", "10.0.0.1:1", "[2001:db8::1]:1",
                                "127.0.0.1.evil.example:1", "localhost.evil.example:1"}) {
        environment["BOT_REFEREE"] = address;
        environment["BOT_PLAINTEXT"] = "0";
        EXPECT_TRUE(read().tls) << address;
        environment["BOT_PLAINTEXT"] = "1";
        EXPECT_FALSE(read().tls) << address;
    }
}

TEST_F(SettingsTest, VerdictsMayWaitForTurnsOnlyIfTheVariableIsOne) {
    EXPECT_FALSE(read().verdicts_with_turns);
    environment["BOT_VERDICTS_WITH_TURNS"] = "true";
    EXPECT_FALSE(read().verdicts_with_turns);
    environment["BOT_VERDICTS_WITH_TURNS"] = "1";
    EXPECT_TRUE(read().verdicts_with_turns);
}

TEST_F(SettingsTest, AnErrorNamesTheInvalidSetting) {
    environment["BOT_MAX_MATCHES"] = "many";
    EXPECT_EQ(error(), "BOT_MAX_MATCHES is not a number: many");
    environment["BOT_CA"] = "/no/such.pem";
    EXPECT_EQ(error(), "BOT_CA cannot be read: /no/such.pem");
    for (const std::string address : {"here", "here:65536"}) {
        environment["BOT_REFEREE"] = address;
        EXPECT_EQ(error(), "BOT_REFEREE is not HOST:PORT: " + address);
    }
    environment.erase("BOT_REFEREE");
    EXPECT_EQ(error(), "BOT_REFEREE is not set");
}

}  // namespace referee
