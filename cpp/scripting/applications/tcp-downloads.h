// SPDX-License-Identifier: GPL-2.0-only

#ifndef TCP_DOWNLOADS_H
#define TCP_DOWNLOADS_H

#include "script-hook.h"

#include "ns3/application.h"
#include "ns3/channel-address.h"
#include "ns3/inet-socket-address.h"
#include "ns3/node.h"
#include "ns3/object-type.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/rl-simulation.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-factory.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace ns3
{

/**
 * @brief The downloads of a client from a server over TCP, one by one.
 *
 * The client sends a request of REQUEST_BYTES, and the server answers with the download. The
 * application is on the client's node, and has the server's sockets, too.
 */
class TcpDownloads : public Application
{
  public:
    static constexpr uint32_t REQUEST_BYTES = 200; //!< Length of a request, like HTTP's

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    TcpDownloads() = default;

    /**
     * @param server Sending node.
     * @param persistent Whether all downloads use one connection; if not, each opens its own.
     */
    TcpDownloads(Ptr<Node> server, bool persistent)
        : m_server(std::move(server)),
          m_persistent(persistent)
    {
    }

    /**
     * Find the downloads between two nodes; if there are none yet, add them to the client.
     *
     * @param server Sending node.
     * @param client Receiving node.
     * @param persistent See the constructor.
     * @return the application
     */
    static Ptr<TcpDownloads> Obtain(Ptr<Node> server, Ptr<Node> client, bool persistent)
    {
        for (uint32_t i = 0; i < client->GetNApplications(); ++i)
        {
            const auto known = DynamicCast<TcpDownloads>(client->GetApplication(i));
            if (known && known->m_server == server && known->m_persistent == persistent)
            {
                return known;
            }
        }
        const auto made = CreateObject<TcpDownloads>(server, persistent);
        client->AddApplication(made);
        return made;
    }

    /**
     * Download, after all earlier downloads.
     *
     * @param bytes Size.
     * @param onDone Called when the last byte has arrived.
     */
    void Order(uint64_t bytes, ScriptHook onDone)
    {
        m_downloads.push_back({bytes, std::move(onDone)});
        if (m_hasStarted && m_downloads.size() == 1)
        {
            Begin();
        }
    }

  protected:
    void DoDispose() override
    {
        for (auto& download : m_downloads)
        {
            download.onDone.Drop();
        }
        m_downloads.clear();
        m_listener = m_client = nullptr;
        m_server = nullptr;
        Application::DoDispose();
    }

  private:
    /// An incomplete download.
    struct Download
    {
        uint64_t bytes;    //!< Size
        ScriptHook onDone; //!< Called at the end of a download
    };

    void StartApplication() override
    {
        m_hasStarted = true;
        m_listener = Socket::CreateSocket(m_server, TcpSocketFactory::GetTypeId());
        m_listener->Bind();
        m_listener->Listen();
        m_listener->SetAcceptCallback(
            MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
            [self = Ptr(this)](Ptr<Socket> socket, const Address&) { self->Accept(socket); });
        Begin();
    }

    /// Begin the first download, if there is one
    void Begin()
    {
        if (m_downloads.empty())
        {
            return;
        }
        m_requested = m_received = 0;
        if (m_client)
        {
            Request();
        }
        else
        {
            Connect();
        }
    }

    /// Open a connection
    void Connect()
    {
        Address bound;
        m_listener->GetSockName(bound);
        const auto port = InetSocketAddress::ConvertFrom(bound).GetPort();
        m_client = Socket::CreateSocket(GetNode(), TcpSocketFactory::GetTypeId());
        m_client->Bind();
        const auto self = Ptr(this);
        m_client->SetConnectCallback([self](Ptr<Socket>) { self->Request(); },
                                     [self](Ptr<Socket>) { self->Fail("was not accepted"); });
        m_client->SetRecvCallback([self](Ptr<Socket> socket) { self->Receive(socket); });
        m_client->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(), [self](Ptr<Socket>) {
            self->Fail("was given up after several attempts to send a packet");
        });
        const auto address = Ipv4Address::ConvertFrom(FindDefaultIpv4Address(m_server));
        const InetSocketAddress server(address, port);
        if (m_client->Connect(server) != 0)
        {
            Fail("finds no route: see sc.route_globally()");
        }
    }

    /// Request the first download
    void Request()
    {
        m_client->Send(Create<Packet>(REQUEST_BYTES));
    }

    /// @param socket A new connection, at the server
    void Accept(Ptr<Socket> socket)
    {
        const auto self = Ptr(this);
        socket->SetRecvCallback([self](Ptr<Socket> from) { self->Serve(from); });
        socket->SetSendCallback([self](Ptr<Socket> to, uint32_t) { self->SendAnswer(to); });
        socket->SetCloseCallbacks([](Ptr<Socket> closed) { closed->Close(); },
                                  [self](Ptr<Socket>) {
                                      self->Fail(
                                          "was given up after several attempts to send a packet");
                                  });
    }

    /// @param socket Socket of a request
    void Serve(Ptr<Socket> socket)
    {
        while (const auto packet = socket->Recv())
        {
            m_requested += packet->GetSize();
        }
        if (m_requested == REQUEST_BYTES)
        {
            m_requested = 0;
            m_unsent = m_downloads.front().bytes;
            SendAnswer(socket);
        }
    }

    /// @param socket Socket with room for more
    void SendAnswer(Ptr<Socket> socket)
    {
        while (m_unsent > 0)
        {
            const auto room = std::min<uint64_t>(m_unsent, socket->GetTxAvailable());
            if (room == 0)
            {
                return;
            }
            m_unsent -= room; // before sending, which may call this again
            socket->Send(Create<Packet>(static_cast<uint32_t>(room)));
        }
    }

    /// @param socket Socket of an answer
    void Receive(Ptr<Socket> socket)
    {
        while (const auto packet = socket->Recv())
        {
            m_received += packet->GetSize();
        }
        if (!m_downloads.empty() && m_received == m_downloads.front().bytes)
        {
            Finish();
        }
    }

    /// End the first download
    void Finish()
    {
        if (!m_persistent)
        {
            const auto closed = std::exchange(m_client, nullptr);
            closed->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                                      MakeNullCallback<void, Ptr<Socket>>());
            closed->Close();
        }
        auto onDone = std::move(m_downloads.front().onDone);
        m_downloads.pop_front();
        const bool isNext = !m_downloads.empty();
        m_received = 0;
        onDone();
        onDone.Drop();
        if (isNext)
        {
            Begin();
        }
    }

    /**
     * End the episode with an error.
     *
     * @param what Description of the failed connection.
     */
    [[noreturn]] void Fail(const std::string& what) const
    {
        const auto bytes = m_downloads.empty() ? 0 : m_downloads.front().bytes;
        RlSimulation::Fail("\nThe download of " + std::to_string(bytes) + " bytes from node " +
                           std::to_string(m_server->GetId()) + " to node " +
                           std::to_string(GetNode()->GetId()) + " ended after " +
                           std::to_string(m_received) + " bytes: its connection " + what + "\n");
    }

    Ptr<Node> m_server;               //!< Sending node
    bool m_persistent{true};          //!< Whether downloads share a connection
    bool m_hasStarted{false};         //!< Packets can be sent
    Ptr<Socket> m_listener;           //!< Listening socket of the server
    Ptr<Socket> m_client;             //!< The connection, at the client; null: there is none
    std::deque<Download> m_downloads; //!< Downloads in the order of requests
    uint64_t m_requested{0};          //!< Received bytes of the request
    uint64_t m_unsent{0};             //!< Unsent bytes of the answer
    uint64_t m_received{0};           //!< Received bytes of the answer
};

inline DEFIANCE_OBJECT(TcpDownloads, Application);

} // namespace ns3

#endif // TCP_DOWNLOADS_H
