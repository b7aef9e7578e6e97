// SPDX-License-Identifier: GPL-2.0-only

#ifndef TCP_DOWNLOADS_H
#define TCP_DOWNLOADS_H

#include "script-hook.h"

#include "ns3/application.h"
#include "ns3/ptr.h"
#include "ns3/socket.h"

#include <cstdint>
#include <deque>
#include <string>

namespace ns3
{

/**
 * @brief The downloads of a client from a server over TCP, one after the other.
 *
 * The client sends a request of REQUEST_BYTES, and the server answers with as many bytes as the
 * download has. The application is on the client's node, and holds the server's sockets, too.
 */
class TcpDownloads : public Application
{
  public:
    static constexpr uint32_t REQUEST_BYTES = 200; //!< Length of a request, as of HTTP

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    TcpDownloads() = default;

    /**
     * @param server Node that sends.
     * @param persistent Whether all downloads use one connection; if not, each opens its own.
     */
    TcpDownloads(Ptr<Node> server, bool persistent);

    /**
     * Find the downloads of two nodes; if there are none yet, add them to the client.
     *
     * @param server Node that sends.
     * @param client Node that receives.
     * @param persistent See the constructor.
     * @return the application
     */
    static Ptr<TcpDownloads> Obtain(Ptr<Node> server, Ptr<Node> client, bool persistent);

    /**
     * Download, after all downloads that were ordered before.
     *
     * @param bytes Size.
     * @param onDone Is called when the last byte has arrived.
     */
    void Order(uint64_t bytes, ScriptHook onDone);

  protected:
    void DoDispose() override;

  private:
    /// A download that is not complete.
    struct Download
    {
        uint64_t bytes;    //!< Size
        ScriptHook onDone; //!< Is called at its end
    };

    void StartApplication() override;

    void Begin();                        //!< Begin the first download, if there is one
    void Connect();                      //!< Open a connection
    void Request();                      //!< Ask the server for the first download
    void Accept(Ptr<Socket> socket);     //!< @param socket A new connection, at the server
    void Serve(Ptr<Socket> socket);      //!< @param socket Where a request arrives
    void SendAnswer(Ptr<Socket> socket); //!< @param socket Where there is room for more
    void Receive(Ptr<Socket> socket);    //!< @param socket Where an answer arrives
    void Finish();                       //!< End the first download

    /**
     * End the episode.
     *
     * @param what The events of the connection.
     */
    [[noreturn]] void Fail(const std::string& what) const;

    Ptr<Node> m_server;               //!< Node that sends
    bool m_persistent{true};          //!< All downloads use one connection
    bool m_hasStarted{false};         //!< Packets can be sent
    Ptr<Socket> m_listener;           //!< Accepts connections, at the server
    Ptr<Socket> m_client;             //!< The connection, at the client; null: there is none
    std::deque<Download> m_downloads; //!< In the order in which they were ordered
    uint64_t m_requested{0};          //!< Bytes of the request that have arrived
    uint64_t m_unsent{0};             //!< Bytes of the answer that the server still has
    uint64_t m_received{0};           //!< Bytes of the answer that have arrived
};

} // namespace ns3

#endif /* TCP_DOWNLOADS_H */
