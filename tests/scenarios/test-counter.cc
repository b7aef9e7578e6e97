// SPDX-License-Identifier: GPL-2.0-only

// A user's class in a shared library, for scenarios in Python.

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
                                              "Step of the count.",
                                              UintegerValue(1),
                                              MakeUintegerAccessor(&TestCounter::m_step),
                                              MakeUintegerChecker<uint32_t>())
                                .AddAttribute("Count",
                                              "Current count.",
                                              TypeId::ATTR_GET,
                                              UintegerValue(0),
                                              MakeUintegerAccessor(&TestCounter::GetCount),
                                              MakeUintegerChecker<uint32_t>())
                                .AddTraceSource("Count",
                                                "Current count.",
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

    /// Continue counting.
    void Add()
    {
        m_count += m_step;
        Simulator::Schedule(MilliSeconds(100), &TestCounter::Add, this);
    }

    /// @return the current count
    uint32_t GetCount() const
    {
        return m_count;
    }

    uint32_t m_step;                  //!< Step of the count
    TracedValue<uint32_t> m_count{0}; //!< Current count
};

NS_OBJECT_ENSURE_REGISTERED(TestCounter);

} // namespace ns3
