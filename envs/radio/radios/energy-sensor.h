// SPDX-License-Identifier: GPL-2.0-only

#ifndef ENERGY_SENSOR_H
#define ENERGY_SENSOR_H

#include "slotted-air.h"

#include "ns3/net-device.h"
#include "ns3/object.h"
#include "ns3/spectrum-analyzer.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Measures what a node hears of others: the mean power in each band of the last slot, by
 * ns-3's SpectrumAnalyzer.
 *
 * A level is in dB above the noise of the analyzer, which is thermal. The node's own signals are
 * not measured.
 */
class EnergySensor : public Object
{
  public:
    static constexpr double FULL_SCALE = 60; //!< The level that is observed as 1, in dB
    static constexpr float LEAST_SIGNAL = 6; //!< The level that built-in players take for a signal

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Give it a node.
     *
     * @param node Whose it is.
     */
    void Install(Ptr<Node> node);

    /**
     * Listen.
     *
     * @param air Where.
     * @param model The measured bands.
     * @param place Where the antenna is.
     */
    void Listen(const SlottedAir& air, Ptr<SpectrumModel> model, Ptr<MobilityModel> place);

    void Start(); //!< The first slot begins now

    const std::vector<float>& GetLevels() const; //!< @return of the last slot, in dB

    std::vector<float> GetObservation() const; //!< @return of the last slot, from 0 to 1

    /**
     * TracedCallback signature of Measured.
     * @param [in] levels of the last slot, in dB, one for each band
     */
    typedef void (*MeasuredTracedCallback)(const std::vector<float>& levels);

  private:
    void DoDispose() override;

    /**
     * Take a report.
     *
     * @param analyzer Number of the analyzer.
     * @param power Mean power of the last slot.
     */
    void Note(uint32_t analyzer, Ptr<const SpectrumValue> power);

    /// A sensor at a place.
    struct Analyzer
    {
        Ptr<SpectrumAnalyzer> model; //!< Of ns-3
        uint32_t first;              //!< Number of its first band
        double noise;                //!< In W/Hz
    };

    std::vector<Analyzer> m_analyzers;                    //!< All that listen
    Ptr<NetDevice> m_device;                              //!< Of the node
    std::vector<float> m_levels;                          //!< Of the last slot, in dB
    TracedCallback<const std::vector<float>&> m_measured; //!< A slot has ended
};

} // namespace ns3

#endif // ENERGY_SENSOR_H
