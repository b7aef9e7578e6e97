// SPDX-License-Identifier: GPL-2.0-only

#include "printing.h"

#include "ns3/opengym-builders.h"
#include "ns3/opengym-utf8.h"
#include "ns3/test.h"
#include "ns3/type-name.h"

#include <sstream>

using namespace ns3;

/** Names, sizes and numbers of element types. */
class DtypeTestCase : public TestCase
{
  public:
    DtypeTestCase()
        : TestCase("Element types are found by NumPy's and C++'s names")
    {
    }

  private:
    void DoRun() override
    {
        for (int number = 1; number <= 10; ++number)
        {
            const auto dtype = static_cast<OpenGymDtype>(number);
            const auto name = GetDtypeName(dtype);
            NS_TEST_EXPECT_MSG_EQ((ParseDtype(name) == dtype), true, "NumPy's name: " << name);
        }
        NS_TEST_EXPECT_MSG_EQ((ParseDtype(TypeNameGet<float>()) == OpenGymDtype::FLOAT32),
                              true,
                              "ns-3's name of float");
        NS_TEST_EXPECT_MSG_EQ((ParseDtype(TypeNameGet<uint32_t>()) == OpenGymDtype::UINT32),
                              true,
                              "ns-3's name of uint32_t");
        NS_TEST_EXPECT_MSG_EQ((ParseDtype("double") == OpenGymDtype::FLOAT64), true, "C++'s name");
        NS_TEST_EXPECT_MSG_EQ((OpenGymDtypeOf<long long>() == OpenGymDtype::INT64),
                              true,
                              "By size and signedness");
        NS_TEST_EXPECT_MSG_EQ(GetItemSize(OpenGymDtype::UINT16), 2, "Two bytes");
        NS_TEST_EXPECT_MSG_EQ(GetItemSize(OpenGymDtype::FLOAT64), 8, "Eight bytes");
    }
};

/** The values that a box accepts. */
class BoxContainerTestCase : public TestCase
{
  public:
    BoxContainerTestCase()
        : TestCase("A box accepts as many values as its shape has")
    {
    }

  private:
    void DoRun() override
    {
        auto box = CreateObject<OpenGymBoxContainer<float>>(std::vector<uint32_t>{1, 2});
        NS_TEST_EXPECT_MSG_EQ(box->IsComplete(), false, "It starts empty");
        NS_TEST_EXPECT_MSG_EQ(box->AddValue(1.5F), true, "The first value is accepted");
        NS_TEST_EXPECT_MSG_EQ(box->SetValue(1, 0), false, "The second value is missing");
        NS_TEST_EXPECT_MSG_EQ(box->AddValue(2.5F), true, "The second value is accepted");
        NS_TEST_EXPECT_MSG_EQ(box->AddValue(3.5F), false, "A third value is refused");
        NS_TEST_EXPECT_MSG_EQ(box->IsComplete(), true, "The box is complete");
        NS_TEST_EXPECT_MSG_EQ(box->SetValue(0, -1.5F), true, "A value can be replaced");
        NS_TEST_EXPECT_MSG_EQ(box->GetValue(0), -1.5F, "It is the new value");
        NS_TEST_EXPECT_MSG_EQ(box->SetData({1, 2, 3}), false, "Three values are too many");
        NS_TEST_EXPECT_MSG_EQ(box->GetData()[1], 2.5F, "They are not stored");
        NS_TEST_EXPECT_MSG_EQ(box->GetRawSize(), 8, "Two floats");
        NS_TEST_EXPECT_MSG_EQ(box->GetAsDouble(1), 2.5, "As double");

        auto growing = CreateObject<OpenGymBoxContainer<int8_t>>();
        growing->AddValue(-1);
        growing->AddValue(2);
        NS_TEST_EXPECT_MSG_EQ(growing->GetShape().size(), 1, "Without a shape, one axis");
        NS_TEST_EXPECT_MSG_EQ(growing->GetShape()[0], 2, "that grows");
        NS_TEST_EXPECT_MSG_EQ(Print(growing), "[-1, 2]", "Small integers print as numbers");

        auto scalar = CreateObject<OpenGymBoxContainer<double>>(std::vector<uint32_t>{});
        NS_TEST_EXPECT_MSG_EQ(scalar->AddValue(1), true, "A scalar has one element");
        NS_TEST_EXPECT_MSG_EQ(scalar->AddValue(2), false, "and accepts no more");
    }
};

/** ns-3's object system finds the type of a box. */
class BoxTypeTestCase : public TestCase
{
  public:
    BoxTypeTestCase()
        : TestCase("A box is found by its exact type only")
    {
    }

  private:
    void DoRun() override
    {
        Ptr<OpenGymDataContainer> any = MakeBoxContainer<int>(2, 3, 4);
        NS_TEST_EXPECT_MSG_NE(any->GetObject<OpenGymBoxContainer<int32_t>>(),
                              nullptr,
                              "int is int32_t");
        NS_TEST_EXPECT_MSG_EQ(DynamicCast<OpenGymBoxContainer<float>>(any), nullptr, "not float");
        NS_TEST_EXPECT_MSG_NE(DynamicCast<OpenGymBoxContainerBase>(any),
                              nullptr,
                              "but a box of some type");
        NS_TEST_EXPECT_MSG_EQ(any->GetInstanceTypeId().GetName(),
                              "ns3::OpenGymBoxContainer<int32>",
                              "Its name contains the type");
        TypeId tid;
        NS_TEST_EXPECT_MSG_EQ(
            TypeId::LookupByNameFailSafe("ns3::OpenGymBoxContainer<uint64>", &tid),
            true,
            "Each type is registered before it is used");
    }
};

/** Containers other than boxes. */
class OtherContainersTestCase : public TestCase
{
  public:
    OtherContainersTestCase()
        : TestCase("Discrete, binary, text, tuple and dict refuse invalid values")
    {
    }

  private:
    void DoRun() override
    {
        auto discrete = CreateObject<OpenGymDiscreteContainer>(3U);
        NS_TEST_EXPECT_MSG_EQ(discrete->SetValue(2), true, "2 is below 3");
        NS_TEST_EXPECT_MSG_EQ(discrete->SetValue(3), false, "3 is refused");
        NS_TEST_EXPECT_MSG_EQ(discrete->SetValue(-1), false, "-1 is refused");
        NS_TEST_EXPECT_MSG_EQ(discrete->GetValue(), 2, "The last valid value stays");
        NS_TEST_EXPECT_MSG_EQ(MakeDiscreteContainer(-7)->GetValue(),
                              -7,
                              "Without n, any value is accepted");

        auto binary = CreateObject<OpenGymMultiBinaryContainer>();
        NS_TEST_EXPECT_MSG_EQ(binary->AddValue(2), false, "2 is not a bit");
        NS_TEST_EXPECT_MSG_EQ(binary->SetData({0, 1, -1}), false, "-1 is not a bit");

        auto text = CreateObject<OpenGymTextContainer>();
        NS_TEST_EXPECT_MSG_EQ(text->SetValue("\xC3"), false, "Half a character is not UTF-8");
        NS_TEST_EXPECT_MSG_EQ(text->SetValue("\xC3\xBC"), true, "A whole character is");

        auto tuple = MakeTupleContainer(discrete, text);
        NS_TEST_EXPECT_MSG_EQ(tuple->GetSize(), 2, "Two elements");
        NS_TEST_EXPECT_MSG_EQ(tuple->Get(2), nullptr, "There is no third element");
        NS_TEST_EXPECT_MSG_EQ(tuple->Add(nullptr), false, "Null is not an element");

        auto dict = MakeDictContainer("b", discrete, "a", tuple);
        NS_TEST_EXPECT_MSG_EQ(dict->GetKeys()[0], "a", "Keys ascend");
        NS_TEST_EXPECT_MSG_EQ(dict->Add("b", text), false, "A key is accepted once");
        NS_TEST_EXPECT_MSG_EQ(dict->Add("\xFF", text), false, "A key is UTF-8");
        NS_TEST_EXPECT_MSG_EQ(dict->Get("c"), nullptr, "An absent key gives null");
    }
};

/** Copies are independent. */
class CopyTestCase : public TestCase
{
  public:
    CopyTestCase()
        : TestCase("A copy shares nothing with the original")
    {
    }

  private:
    void DoRun() override
    {
        auto box = MakeBoxContainer<float>(2, 1, 2);
        auto inner = MakeDiscreteContainer(1);
        auto original = MakeDictContainer("box", box, "tuple", MakeTupleContainer(inner));
        const auto copy = original->Copy();
        NS_TEST_EXPECT_MSG_EQ(Print(copy), "{box: [1, 2], tuple: (1)}", "Equal at first");
        box->SetValue(0, 9);
        inner->SetValue(9);
        original->Add("new", inner);
        NS_TEST_EXPECT_MSG_EQ(Print(copy), "{box: [1, 2], tuple: (1)}", "The copy is unchanged");
        NS_TEST_EXPECT_MSG_EQ(Print(original),
                              "{box: [9, 2], new: 9, tuple: (9)}",
                              "The original is changed");
    }
};

/** UTF-8 as Unicode defines it. */
class Utf8TestCase : public TestCase
{
  public:
    Utf8TestCase()
        : TestCase("Only well-formed UTF-8 is split")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(SplitUtf8("a\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80")->size(),
                              4,
                              "Characters of one to four bytes");
        for (const char* text : {"\x80",             // continues nothing
                                 "\xC3",             // ends too early
                                 "\xC3(",            // is not continued
                                 "\xC0\xAF",         // longer than needed
                                 "\xED\xA0\x80",     // surrogate
                                 "\xF4\x90\x80\x80", // beyond Unicode
                                 "\xFF"})            // never occurs
        {
            NS_TEST_EXPECT_MSG_EQ(SplitUtf8(text).has_value(), false, "Not UTF-8: " << text);
            NS_TEST_EXPECT_MSG_EQ(IsUtf8(text), false, "Not UTF-8: " << text);
        }
    }
};

/** Containers. */
class GymTestSuite : public TestSuite
{
  public:
    GymTestSuite()
        : TestSuite("defiance-gym")
    {
        AddTestCase(new DtypeTestCase);
        AddTestCase(new BoxContainerTestCase);
        AddTestCase(new BoxTypeTestCase);
        AddTestCase(new OtherContainersTestCase);
        AddTestCase(new CopyTestCase);
        AddTestCase(new Utf8TestCase);
    }
};

static GymTestSuite g_gymTestSuite; //!< Registers the suite
