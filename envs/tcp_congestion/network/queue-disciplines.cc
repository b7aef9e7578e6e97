// SPDX-License-Identifier: GPL-2.0-only

#include "queue-disciplines.h"

#include "probability-queue-disc.h"

#include "ns3/boolean.h"
#include "ns3/cobalt-queue-disc.h"
#include "ns3/pie-queue-disc.h"
#include "ns3/red-queue-disc.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/uinteger.h"

#include <map>

namespace ns3
{

namespace
{

const std::map<std::string, std::string> TYPES{{"fifo", "ns3::FifoQueueDisc"},
                                               {"red", "ns3::RedQueueDisc"},
                                               {"codel", "ns3::CoDelQueueDisc"},
                                               {"fq_codel", "ns3::FqCoDelQueueDisc"},
                                               {"pie", "ns3::PieQueueDisc"},
                                               {"cobalt", "ns3::CobaltQueueDisc"},
                                               {"agent", "ns3::ProbabilityQueueDisc"}};

/**
 * @tparam Disc Class of a discipline with random variables.
 * @param discipline A discipline.
 * @param stream Stream of the random variables, if the discipline has this class.
 */
template <typename Disc>
void
AssignStreams(Ptr<QueueDisc> discipline, int64_t stream)
{
    if (const auto drawing = DynamicCast<Disc>(discipline))
    {
        drawing->AssignStreams(stream);
    }
}

} // namespace

const std::vector<std::string>&
GetQueueDisciplines()
{
    static const std::vector<std::string> names{"fifo",
                                                "red",
                                                "codel",
                                                "fq_codel",
                                                "pie",
                                                "cobalt"};
    return names;
}

Ptr<QueueDisc>
InstallQueueDiscipline(const QueueDisciplineParameters& parameters,
                       Ptr<NetDevice> device,
                       int64_t stream)
{
    const auto& name = parameters.name;
    TrafficControlHelper helper;
    helper.SetRootQueueDisc(TYPES.at(name));
    const auto discipline = helper.Install(device).Get(0);
    const QueueSize size(QueueSizeUnit::PACKETS, parameters.buffer);
    discipline->SetAttribute("MaxSize", QueueSizeValue(size));
    if (name != "fifo")
    {
        discipline->SetAttribute("UseEcn", BooleanValue(parameters.ecn));
    }
    if (name == "red" || name == "pie")
    {
        discipline->SetAttribute("MeanPktSize", UintegerValue(parameters.packetSize));
    }
    if (name == "red")
    {
        discipline->SetAttribute("LinkBandwidth", DataRateValue(parameters.rate));
        discipline->SetAttribute("LinkDelay", TimeValue(parameters.delay));
    }
    AssignStreams<RedQueueDisc>(discipline, stream);
    AssignStreams<PieQueueDisc>(discipline, stream);
    AssignStreams<CobaltQueueDisc>(discipline, stream);
    AssignStreams<ProbabilityQueueDisc>(discipline, stream);
    return discipline;
}

} // namespace ns3
