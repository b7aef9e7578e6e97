// SPDX-License-Identifier: GPL-2.0-only

// A class of a user's own, in a shared library, for scenarios in Python.

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/simulator.h"
#include "ns3/traced-value.h"
#include "ns3/uinteger.h"

namespace ns3
{

/**
 * @brief Counts in steps, every 100 ms.
 */
class TestCounter : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::TestCounter")
                                .SetParent<Object>()
                                .AddConstructor<TestCounter>()
                                .AddAttribute("Step",
                                              "What is added.",
                                              UintegerValue(1),
                                              MakeUintegerAccessor(&TestCounter::m_step),
                                              MakeUintegerChecker<uint32_t>())
                                .AddAttribute("Count",
                                              "How far it has counted.",
                                              TypeId::ATTR_GET,
                                              UintegerValue(0),
                                              MakeUintegerAccessor(&TestCounter::GetCount),
                                              MakeUintegerChecker<uint32_t>())
                                .AddTraceSource("Count",
                                                "How far it has counted.",
                                                MakeTraceSourceAccessor(&TestCounter::m_count),
                                                "ns3::TracedValueCallback::Uint32");
        return tid;
    }

  private:
    void DoInitialize() override
    {
        Simulator::Schedule(MilliSeconds(100), &TestCounter::Add, this);
        Object::DoInitialize();
    }

    /// Count on.
    void Add()
    {
        m_count += m_step;
        Simulator::Schedule(MilliSeconds(100), &TestCounter::Add, this);
    }

    /// @return how far it has counted
    uint32_t GetCount() const
    {
        return m_count;
    }

    uint32_t m_step;                  //!< What is added
    TracedValue<uint32_t> m_count{0}; //!< How far it has counted
};

NS_OBJECT_ENSURE_REGISTERED(TestCounter);

} // namespace ns3
