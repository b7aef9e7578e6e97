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
    TcpDownloads(Ptr<Node> server, bool persistent);

    /**
     * Find the downloads between two nodes; if there are none yet, add them to the client.
     *
     * @param server Sending node.
     * @param client Receiving node.
     * @param persistent See the constructor.
     * @return the application
     */
    static Ptr<TcpDownloads> Obtain(Ptr<Node> server, Ptr<Node> client, bool persistent);

    /**
     * Download, after all earlier downloads.
     *
     * @param bytes Size.
     * @param onDone Called when the last byte has arrived.
     */
    void Order(uint64_t bytes, ScriptHook onDone);

  protected:
    void DoDispose() override;

  private:
    /// An incomplete download.
    struct Download
    {
        uint64_t bytes;    //!< Size
        ScriptHook onDone; //!< Called at the end of a download
    };

    void StartApplication() override;

    void Begin();                        //!< Begin the first download, if there is one
    void Connect();                      //!< Open a connection
    void Request();                      //!< Request the first download
    void Accept(Ptr<Socket> socket);     //!< @param socket A new connection, at the server
    void Serve(Ptr<Socket> socket);      //!< @param socket Socket of a request
    void SendAnswer(Ptr<Socket> socket); //!< @param socket Socket with room for more
    void Receive(Ptr<Socket> socket);    //!< @param socket Socket of an answer
    void Finish();                       //!< End the first download

    /**
     * End the episode with an error.
     *
     * @param what Description of the failed connection.
     */
    [[noreturn]] void Fail(const std::string& what) const;

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

} // namespace ns3

#endif /* TCP_DOWNLOADS_H */
