// SPDX-License-Identifier: GPL-2.0-only

#include "set-partitions.h"
#include "sha256.h"

#include "ns3/test.h"

#include <numeric>
#include <string>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Partitions of slots: their number, and the number of different-looking ones.
 */
class SetPartitionsTestCase : public TestCase
{
  public:
    SetPartitionsTestCase()
        : TestCase("Partitions are numbered in lexicographic order, each coloured one once")
    {
    }

  private:
    /**
     * @param partitions Partitions of slots.
     * @param colors Colours of the slots.
     * @return the number of partitions that look different
     */
    static int Count(SetPartitions& partitions, const SetPartitions::Blocks& colors)
    {
        const auto& first = partitions.GetRepresentatives(colors);
        return std::accumulate(first.begin(), first.end(), 0);
    }

    void DoRun() override
    {
        const std::vector<uint32_t> bell{1, 1, 2, 5, 15, 52, 203, 877};
        for (uint32_t slots = 1; slots < bell.size(); slots++)
        {
            NS_TEST_EXPECT_MSG_EQ(SetPartitions(slots, 0).Count(), bell[slots], "Bell's numbers");
            NS_TEST_EXPECT_MSG_EQ(SetPartitions(slots, 2).Count(), 1U << (slots - 1), "Halves");
        }
        SetPartitions three(3, 0);
        const std::vector<SetPartitions::Blocks> all{{0, 0, 0},
                                                     {0, 0, 1},
                                                     {0, 1, 0},
                                                     {0, 1, 1},
                                                     {0, 1, 2}};
        for (uint32_t i = 0; i < all.size(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ((three.Get(i) == all[i]), true, "Number " << i);
        }
        using Mask = std::vector<int8_t>;
        NS_TEST_EXPECT_MSG_EQ((three.GetRepresentatives({0, 0, 0}) == Mask{1, 1, 0, 0, 1}),
                              true,
                              "One of three equal ones is alone");
        NS_TEST_EXPECT_MSG_EQ((three.GetRepresentatives({0, 1}) == Mask{1, 0, 1, 0, 0}),
                              true,
                              "The last slot is empty");
        NS_TEST_EXPECT_MSG_EQ(Count(three, {}), 1, "There is one partition of nothing");
        SetPartitions four(4, 0);
        NS_TEST_EXPECT_MSG_EQ(Count(four, {0, 0, 0, 0}), 5, "All are equal");
        NS_TEST_EXPECT_MSG_EQ(Count(four, {0, 0, 0, 1}), 7, "One differs");
        NS_TEST_EXPECT_MSG_EQ(Count(four, {0, 1, 2, 3}), 15, "All differ");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Hashes, with the examples of FIPS 180-4.
 */
class Sha256TestCase : public TestCase
{
  public:
    Sha256TestCase()
        : TestCase("SHA-256 equals the standard, at all lengths of the last block")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Sha256(""),
                              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                              "Nothing");
        NS_TEST_EXPECT_MSG_EQ(Sha256("abc"),
                              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                              "One block");
        NS_TEST_EXPECT_MSG_EQ(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
                              "Its length needs another block");
        NS_TEST_EXPECT_MSG_EQ(Sha256(std::string(1000000, 'a')),
                              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
                              "Many blocks");
    }
};

/**
 * @ingroup defiance-tests
 * @brief The enumeration of a tester's actions.
 */
class SetPartitionsTestSuite : public TestSuite
{
  public:
    SetPartitionsTestSuite()
        : TestSuite("defiance-set-partitions", Type::UNIT)
    {
        AddTestCase(new SetPartitionsTestCase, Duration::QUICK);
        AddTestCase(new Sha256TestCase, Duration::QUICK);
    }
};

/// The one instance that registers the suite.
static SetPartitionsTestSuite g_setPartitionsTestSuite;
