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
 * @brief Measures the signals of others at a node: the mean power in each band of the last slot, by
 * ns-3's SpectrumAnalyzer.
 *
 * A level is in dB above the analyzer's thermal noise. The node's own signals are
 * not measured.
 */
class EnergySensor : public Object
{
  public:
    static constexpr double FULL_SCALE = 60; //!< Level observed as 1, in dB
    static constexpr float LEAST_SIGNAL = 6; //!< Least level of a signal for built-in players

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Install the sensor on a node.
     *
     * @param node The node.
     */
    void Install(Ptr<Node> node);

    /**
     * Begin to listen.
     *
     * @param air Channel to listen to.
     * @param model The measured bands.
     * @param place Position of the antenna.
     */
    void Listen(const SlottedAir& air, Ptr<SpectrumModel> model, Ptr<MobilityModel> place);

    void Start(); //!< The first slot begins now

    const std::vector<float>& GetLevels() const; //!< @return levels of the last slot, in dB

    std::vector<float> GetObservation() const; //!< @return levels of the last slot, from 0 to 1

    /**
     * TracedCallback signature of Measured.
     * @param [in] levels levels of the last slot, in dB, one for each band
     */
    typedef void (*MeasuredTracedCallback)(const std::vector<float>& levels);

  private:
    void DoDispose() override;

    /**
     * Store a report.
     *
     * @param analyzer Number of the analyzer.
     * @param power Mean power of the last slot.
     */
    void Note(uint32_t analyzer, Ptr<const SpectrumValue> power);

    /// An analyzer at a position.
    struct Analyzer
    {
        Ptr<SpectrumAnalyzer> model; //!< ns-3's analyzer
        uint32_t first;              //!< Number of the first band
        double noise;                //!< Noise in W/Hz
    };

    std::vector<Analyzer> m_analyzers;                    //!< All analyzers
    Ptr<NetDevice> m_device;                              //!< Device of the node
    std::vector<float> m_levels;                          //!< Levels of the last slot, in dB
    TracedCallback<const std::vector<float>&> m_measured; //!< A slot has ended
};

} // namespace ns3

#endif // ENERGY_SENSOR_H
