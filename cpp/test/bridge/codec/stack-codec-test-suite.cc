// SPDX-License-Identifier: GPL-2.0-only

#include "golden-messages.h"
#include "opengym-codec.h"

#include "ns3/integer.h"
#include "ns3/object-factory.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-serialization.h"
#include "ns3/test.h"

using namespace ns3;

namespace
{

namespace wire = defiance::v1;

/** Containers. */
using Rows = std::vector<Ptr<OpenGymDataContainer>>;

/**
 * @param rows Containers.
 * @return a message of the stack
 */
wire::DataContainer
Encode(const Rows& rows)
{
    std::vector<const OpenGymDataContainer*> pointers;
    for (const auto& row : rows)
    {
        pointers.push_back(PeekPointer(row));
    }
    wire::DataContainer message;
    EncodeStack(pointers, message);
    return message;
}

} // namespace

/** Stacks are equal after a round trip. */
class StackRoundTripTestCase : public TestCase
{
  public:
    StackRoundTripTestCase()
        : TestCase("Each row of a stack is the same after encoding and decoding")
    {
    }

  private:
    /** @param rows Containers that can be stacked. */
    void Check(const Rows& rows)
    {
        const auto decoded = DecodeStack(Encode(rows), rows.size());
        NS_TEST_ASSERT_MSG_EQ(decoded.size(), rows.size(), "Number of rows: " << rows.front());
        for (std::size_t i = 0; i < rows.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(CanStack(*rows[0], *rows[i]), true, "They can be stacked");
            NS_TEST_EXPECT_MSG_EQ((SerializeContainer(decoded[i]) == SerializeContainer(rows[i])),
                                  true,
                                  "Row " << i << " is " << rows[i] << ", not " << decoded[i]);
        }
    }

    void DoRun() override
    {
        const auto random =
            CreateObjectWithAttributes<UniformRandomVariable>("Stream", IntegerValue(3));
        for (std::size_t count = 1; count <= 4; ++count)
        {
            Rows rows;
            for (std::size_t i = 0; i < count; ++i)
            {
                rows.push_back(MakeGoldenSpace()->Sample(random));
            }
            Check(rows);
        }
        Check({MakeBoxContainer<float>(0), MakeBoxContainer<float>(0)});
        Check({MakeTupleContainer(), MakeTupleContainer()});
        Check({MakeDictContainer(), MakeDictContainer(), MakeDictContainer()});
        Check({MakeDiscreteContainer(-5), MakeDiscreteContainer(7)});
    }
};

/** Containers that cannot be stacked. */
class StackLayoutTestCase : public TestCase
{
  public:
    StackLayoutTestCase()
        : TestCase("Containers of different kinds, types, shapes or keys are not a stack")
    {
    }

  private:
    void DoRun() override
    {
        const Ptr<OpenGymDataContainer> box = MakeBoxContainer<float>(2, 1, 2);
        const Rows others{MakeBoxContainer<double>(2, 1, 2),
                          MakeBoxContainer<float>(3, 1, 2, 3),
                          MakeDiscreteContainer(1),
                          MakeTupleContainer(box),
                          MakeTupleContainer(box, box),
                          MakeTupleContainer(MakeDiscreteContainer(1)),
                          MakeDictContainer("a", box),
                          MakeDictContainer("b", box),
                          MakeDictContainer("a", MakeDiscreteContainer(1))};
        NS_TEST_EXPECT_MSG_EQ(CanStack(*box, *box), true, "A box and itself");
        for (std::size_t i = 0; i < others.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(CanStack(*box, *others[i]), false, others[i]);
            for (std::size_t j = 0; j < others.size(); ++j)
            {
                NS_TEST_EXPECT_MSG_EQ(CanStack(*others[i], *others[j]),
                                      (i == j),
                                      others[i] << " and " << others[j]);
            }
        }
    }
};

/** Malformed stacks are refused. */
class MalformedStackTestCase : public TestCase
{
  public:
    MalformedStackTestCase()
        : TestCase("A stack that breaks a rule of the protocol is refused")
    {
    }

  private:
    /**
     * @param message A message.
     * @param rows Number of rows.
     * @return whether it is refused
     */
    static bool Refuses(const wire::DataContainer& message, std::size_t rows)
    {
        return DecodeStack(message, rows).empty();
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Refuses({}, 1), true, "No kind");
        const auto box =
            Encode({MakeBoxContainer<float>(2, 1, 2), MakeBoxContainer<float>(2, 3, 4)});
        NS_TEST_EXPECT_MSG_EQ(Refuses(box, 2), false, "Two rows");
        NS_TEST_EXPECT_MSG_EQ(Refuses(box, 1), true, "Two rows are not one");
        NS_TEST_EXPECT_MSG_EQ(Refuses(box, 4), true, "nor four");
        auto other = box;
        other.mutable_box()->set_data(std::string(15, '\0'));
        NS_TEST_EXPECT_MSG_EQ(Refuses(other, 2), true, "One byte missing");
        other.mutable_box()->set_data(std::string(17, '\0'));
        NS_TEST_EXPECT_MSG_EQ(Refuses(other, 2), true, "One byte too many");
        other = box;
        other.mutable_box()->set_shape(1, ~uint64_t{0});
        NS_TEST_EXPECT_MSG_EQ(Refuses(other, 2), true, "The longest axis");
        other = box;
        other.mutable_box()->clear_shape();
        NS_TEST_EXPECT_MSG_EQ(Refuses(other, 2), true, "No axis");

        wire::DataContainer single;
        single.set_discrete(1);
        NS_TEST_EXPECT_MSG_EQ(Refuses(single, 1), true, "A single value is not a stack");
        auto discrete = Encode({MakeDiscreteContainer(1), MakeDiscreteContainer(2)});
        NS_TEST_EXPECT_MSG_EQ(DeserializeContainer(discrete.SerializeAsString()),
                              nullptr,
                              "A stack is not a single value");
        discrete.mutable_discrete_stack()->set_dtype(wire::DTYPE_INT32);
        NS_TEST_EXPECT_MSG_EQ(Refuses(discrete, 2), true, "Discrete values are int64");

        wire::DataContainer dict;
        for (const auto* key : {"b", "a"})
        {
            auto& entry = *dict.mutable_dict()->add_entries();
            entry.set_key(key);
            *entry.mutable_value() = box;
        }
        NS_TEST_EXPECT_MSG_EQ(Refuses(dict, 2), true, "Keys that do not ascend");
        dict.mutable_dict()->mutable_entries()->SwapElements(0, 1);
        NS_TEST_EXPECT_MSG_EQ(Refuses(dict, 2), false, "Keys that do");
        dict.mutable_dict()->mutable_entries(1)->clear_value();
        NS_TEST_EXPECT_MSG_EQ(Refuses(dict, 2), true, "A key without a value");
    }
};

/** Stacks of containers as bytes. */
class StackCodecTestSuite : public TestSuite
{
  public:
    StackCodecTestSuite()
        : TestSuite("defiance-stack-codec")
    {
        AddTestCase(new StackRoundTripTestCase);
        AddTestCase(new StackLayoutTestCase);
        AddTestCase(new MalformedStackTestCase);
    }
};

static StackCodecTestSuite g_stackCodecTestSuite; //!< Registers the suite
