// SPDX-License-Identifier: GPL-2.0-only

#include "fake-python.h"
#include "golden-messages.h"
#include "opengym-codec.h"
#include "printing.h"

#include "ns3/integer.h"
#include "ns3/object-factory.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-serialization.h"
#include "ns3/test.h"

#include <csignal>
#include <limits>
#include <sstream>

using namespace ns3;

namespace
{

namespace wire = defiance::v1;

/**
 * @param dtype Element type.
 * @param shape Shape.
 * @param bytes Number of bytes.
 * @return a message of a box, well-formed or not
 */
wire::DataContainer
MakeTensor(int dtype, const std::vector<uint64_t>& shape, std::size_t bytes)
{
    wire::DataContainer message;
    auto& tensor = *message.mutable_box();
    tensor.set_dtype(static_cast<wire::DType>(dtype));
    tensor.mutable_shape()->Assign(shape.begin(), shape.end());
    tensor.set_data(std::string(bytes, '\1'));
    return message;
}

/**
 * @param message Any message.
 * @return its container, or null
 */
Ptr<OpenGymDataContainer>
Decode(const wire::DataContainer& message)
{
    return DeserializeContainer(message.SerializeAsString());
}

} // namespace

/** Containers are equal after a round trip. */
class RoundTripTestCase : public TestCase
{
  public:
    RoundTripTestCase()
        : TestCase("A container is the same after encoding and decoding")
    {
    }

  private:
    /** @param container A container. */
    void Check(Ptr<OpenGymDataContainer> container)
    {
        const auto bytes = SerializeContainer(container);
        NS_TEST_EXPECT_MSG_EQ(GetSerializedSize(container),
                              bytes.size(),
                              "Serialized size: " << container);
        wire::DataContainer message;
        NS_TEST_EXPECT_MSG_EQ(message.ParseFromString(bytes), true, "Protobuf reads the bytes");
        NS_TEST_EXPECT_MSG_EQ((message.SerializeAsString() == bytes),
                              true,
                              "Protobuf writes the same bytes: " << container);
        const auto decoded = DeserializeContainer(bytes);
        NS_TEST_ASSERT_MSG_NE(decoded, nullptr, "It can be decoded: " << container);
        NS_TEST_EXPECT_MSG_EQ(decoded->GetInstanceTypeId(),
                              container->GetInstanceTypeId(),
                              "The type is the same");
        NS_TEST_EXPECT_MSG_EQ(Print(decoded), Print(container), "The contents are the same");
        NS_TEST_EXPECT_MSG_EQ((SerializeContainer(decoded) == bytes),
                              true,
                              "The bytes are the same");
    }

    /** @tparam T Element type. */
    template <typename T>
    void CheckBox()
    {
        auto box = CreateObject<OpenGymBoxContainer<T>>(std::vector<uint32_t>{2, 1});
        box->SetData({std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()});
        Check(box);
    }

    void DoRun() override
    {
        for (int number = 1; number <= 10; ++number)
        {
            VisitDtype(static_cast<OpenGymDtype>(number),
                       [this](auto type) { CheckBox<typename decltype(type)::type>(); });
        }
        Check(MakeGoldenContainer());
        Check(MakeBoxContainer<float>(0));
        for (const uint32_t size : {31, 32, 127, 128, 16383, 16384}) // lengths of lengths
        {
            Check(MakeBoxContainer(std::vector<float>(size)));
            auto text = CreateObject<OpenGymTextContainer>();
            text->SetValue(std::string(size, 'a'));
            Check(MakeTupleContainer(text, MakeDiscreteContainer(size), MakeDiscreteContainer(-1)));
        }
        Check(MakeTupleContainer());
        Check(MakeDictContainer());
        Check(MakeDictContainer("", MakeDiscreteContainer(std::numeric_limits<int64_t>::min())));
        const auto random =
            CreateObjectWithAttributes<UniformRandomVariable>("Stream", IntegerValue(2));
        for (int i = 0; i < 50; ++i)
        {
            Check(MakeGoldenSpace()->Sample(random));
        }
    }
};

/** Malformed tensors are refused. */
class MalformedTensorTestCase : public TestCase
{
  public:
    MalformedTensorTestCase()
        : TestCase("An array whose bytes do not fit type and shape is refused")
    {
    }

  private:
    void DoRun() override
    {
        const auto decodes = [](int dtype, std::vector<uint64_t> shape, std::size_t bytes) {
            return Decode(MakeTensor(dtype, shape, bytes)) != nullptr;
        };
        NS_TEST_EXPECT_MSG_EQ(decodes(1, {2, 3}, 24), true, "Six float32");
        NS_TEST_EXPECT_MSG_EQ(decodes(1, {2, 3}, 23), false, "One byte less");
        NS_TEST_EXPECT_MSG_EQ(decodes(1, {2, 3}, 25), false, "One byte more");
        NS_TEST_EXPECT_MSG_EQ(decodes(2, {2, 3}, 24), false, "Six float64 need 48");
        NS_TEST_EXPECT_MSG_EQ(decodes(1, {}, 4), true, "A scalar");
        NS_TEST_EXPECT_MSG_EQ(decodes(1, {}, 0), false, "A scalar without bytes");
        NS_TEST_EXPECT_MSG_EQ(decodes(1, {3, 0}, 0), true, "No elements");
        NS_TEST_EXPECT_MSG_EQ(decodes(0, {1}, 4), false, "No type");
        NS_TEST_EXPECT_MSG_EQ(decodes(11, {1}, 4), false, "An unknown type");
        NS_TEST_EXPECT_MSG_EQ(decodes(-1, {1}, 4), false, "A negative type");
        const uint64_t half = uint64_t{1} << 31;
        NS_TEST_EXPECT_MSG_EQ(decodes(1, {half, half, 4}, 0), false, "2^64 elements are not 0");
        NS_TEST_EXPECT_MSG_EQ(decodes(1, {half, half}, 0), false, "2^64 bytes are not 0");
        NS_TEST_EXPECT_MSG_EQ(decodes(1, {(uint64_t{1} << 32) + 1}, 4), false, "2^32 + 1 is not 1");
        NS_TEST_EXPECT_MSG_EQ(decodes(1, {~uint64_t{0}}, 4), false, "The longest axis");
    }
};

/** Malformed containers are refused. */
class MalformedContainerTestCase : public TestCase
{
  public:
    MalformedContainerTestCase()
        : TestCase("A container that breaks a rule of the protocol is refused")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(DeserializeContainer(""), nullptr, "No kind");

        wire::DataContainer message;
        *message.mutable_multi_discrete() = MakeTensor(wire::DTYPE_INT32, {1}, 4).box();
        NS_TEST_EXPECT_MSG_EQ(Decode(message), nullptr, "Multi-discrete is int64");
        *message.mutable_multi_binary() = MakeTensor(wire::DTYPE_INT8, {2}, 2).box();
        NS_TEST_EXPECT_MSG_NE(Decode(message), nullptr, "Two ones");
        message.mutable_multi_binary()->set_data("\1\2");
        NS_TEST_EXPECT_MSG_EQ(Decode(message), nullptr, "2 is not a bit");

        message.mutable_tuple()->add_elements()->set_discrete(1);
        NS_TEST_EXPECT_MSG_NE(Decode(message), nullptr, "A tuple");
        message.mutable_tuple()->add_elements();
        NS_TEST_EXPECT_MSG_EQ(Decode(message), nullptr, "with an element of no kind");

        auto& entries = *message.mutable_dict()->mutable_entries();
        const auto add = [&entries](const char* key) {
            auto& entry = *entries.Add();
            entry.set_key(key);
            entry.mutable_value()->set_discrete(1);
        };
        add("b");
        add("c");
        NS_TEST_EXPECT_MSG_NE(Decode(message), nullptr, "Ascending keys");
        add("c");
        NS_TEST_EXPECT_MSG_EQ(Decode(message), nullptr, "A key twice");
        entries.RemoveLast();
        add("a");
        NS_TEST_EXPECT_MSG_EQ(Decode(message), nullptr, "Keys that do not ascend");
        entries.RemoveLast();
        entries.Add()->set_key("d");
        NS_TEST_EXPECT_MSG_EQ(Decode(message), nullptr, "A key without a value");
    }
};

/** Any bytes are handled without a crash. */
class AnyBytesTestCase : public TestCase
{
  public:
    AnyBytesTestCase()
        : TestCase("Truncated and altered bytes are refused or decoded, but never break anything")
    {
    }

  private:
    void DoRun() override
    {
        const google::protobuf::LogSilencer silencer;
        const auto bytes = SerializeContainer(MakeGoldenContainer());
        for (std::size_t length = 1; length < bytes.size(); ++length)
        {
            const auto part =
                DynamicCast<OpenGymDictContainer>(DeserializeContainer(bytes.substr(0, length)));
            NS_TEST_ASSERT_MSG_EQ((part && part->GetSize() == 7),
                                  false,
                                  "The first " << length << " bytes are incomplete");
        }
        uint32_t refused = 0;
        for (std::size_t position = 0; position < bytes.size(); ++position)
        {
            for (int bit = 0; bit < 8; ++bit)
            {
                auto altered = bytes;
                altered[position] = static_cast<char>(altered[position] ^ (1 << bit));
                const auto decoded = DeserializeContainer(altered);
                refused += decoded ? 0 : 1;
                // Every decoded container is well-formed.
                NS_TEST_ASSERT_MSG_EQ((!decoded || !SerializeContainer(decoded).empty()),
                                      true,
                                      "Altered at byte " << position);
            }
        }
        NS_TEST_EXPECT_MSG_GT(refused, 100, "Many alterations are detected");
        NS_TEST_EXPECT_MSG_EQ(DeserializeContainer(""), nullptr, "Nothing");
        NS_TEST_EXPECT_MSG_EQ(DeserializeContainer(std::string(100, '\xFF')), nullptr, "Noise");
    }
};

/** Deep nesting is refused without recursion. */
class DeepNestingTestCase : public TestCase
{
  public:
    DeepNestingTestCase()
        : TestCase("Containers nested too deep to be read are refused")
    {
    }

  private:
    void DoRun() override
    {
        Ptr<OpenGymDataContainer> deep = MakeDiscreteContainer(1);
        for (int i = 0; i < 40; ++i)
        {
            deep = MakeTupleContainer(deep);
        }
        NS_TEST_EXPECT_MSG_NE(DeserializeContainer(SerializeContainer(deep)), nullptr, "40 levels");
        for (int i = 0; i < 1000; ++i)
        {
            deep = MakeTupleContainer(deep);
        }
        NS_TEST_EXPECT_MSG_EQ(DeserializeContainer(SerializeContainer(deep)), nullptr, "1040");
    }
};

/** A container that cannot be encoded aborts. */
class EncodingAbortTestCase : public TestCase
{
  public:
    EncodingAbortTestCase()
        : TestCase("An incomplete container aborts with the reason")
    {
    }

  private:
    void DoRun() override
    {
        const auto run = [] {
            auto box = CreateObject<OpenGymBoxContainer<float>>(std::vector<uint32_t>{3});
            box->AddValue(1);
            SerializeContainer(box);
            return 0;
        };
        const auto end = ForkedSimulation(run, {}).Wait();
        NS_TEST_EXPECT_MSG_EQ(end.status, SIGABRT, "It aborts");
        NS_TEST_EXPECT_MSG_NE(end.errors.find("holds 1 elements, fewer than its shape has"),
                              std::string::npos,
                              end.errors);
    }
};

/** Containers as bytes. */
class CodecTestSuite : public TestSuite
{
  public:
    CodecTestSuite()
        : TestSuite("defiance-codec")
    {
        AddTestCase(new RoundTripTestCase);
        AddTestCase(new MalformedTensorTestCase);
        AddTestCase(new MalformedContainerTestCase);
        AddTestCase(new AnyBytesTestCase);
        AddTestCase(new DeepNestingTestCase);
        AddTestCase(new EncodingAbortTestCase);
    }
};

static CodecTestSuite g_codecTestSuite; //!< Registers the suite
