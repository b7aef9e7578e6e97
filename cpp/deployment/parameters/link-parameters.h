// SPDX-License-Identifier: GPL-2.0-only

#ifndef LINK_PARAMETERS_H
#define LINK_PARAMETERS_H

#include "ns3/communication-helper.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/rl-simulation.h"

#include <string>

namespace ns3
{

/**
 * @brief The properties of a link.
 */
struct LinkParameters
{
    DataRate dataRate{"10Mbps"}; //!< Data rate of both directions
    Time delay{};                //!< One-way delay
    double loss{0};              //!< Probability that a packet is lost

    /**
     * @param other Another link.
     * @return whether both links have the same properties
     */
    bool operator==(const LinkParameters& other) const = default;

    /**
     * Declare the parameters.
     *
     * @param simulation The scenario.
     * @param prefix First part of their names.
     * @param link Name of the link in their texts.
     */
    void Declare(RlSimulation& simulation, const std::string& prefix, const std::string& link)
    {
        simulation.AddValue(prefix + "delay",
                            "One-way delay of " + link + ".",
                            delay,
                            Time(0),
                            Seconds(10));
        simulation.AddValue(prefix + "data_rate",
                            "Data rate of " + link + ", for udp and tcp.",
                            dataRate,
                            DataRate("1kbps"),
                            DataRate("100Gbps"));
        simulation.AddValue(prefix + "loss",
                            "Probability that a packet is lost on " + link + ".",
                            loss,
                            0.0,
                            1.0);
    }

    /**
     * @param transport The transport of messages: simple, udp, tcp.
     * @param client Address of the end that connects, if it has several.
     * @param server Address of the other end, if it has several.
     * @return attributes of a channel over this link
     */
    AnyCommunicationAttributes MakeAttributes(const std::string& transport,
                                              const Address& client = {},
                                              const Address& server = {}) const
    {
        if (transport == "simple")
        {
            return CommunicationAttributes{delay, loss};
        }
        SocketCommunicationAttributes sockets{.clientAddress = client, .serverAddress = server};
        if (transport == "tcp")
        {
            sockets.protocol = TcpSocketFactory::GetTypeId();
        }
        return sockets;
    }
};

} // namespace ns3

#endif // LINK_PARAMETERS_H
