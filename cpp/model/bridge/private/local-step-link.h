// SPDX-License-Identifier: GPL-2.0-only

#ifndef LOCAL_STEP_LINK_H
#define LOCAL_STEP_LINK_H

#include "step-link.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Two pipes to the Python process that started this one, inherited from it. Each message
 * has its length, 8 bytes in the order of this machine, in front.
 */
class LocalStepLink : public StepLink
{
  public:
    /**
     * @param endpoint An endpoint.
     * @return whether it is "fd:<descriptor to read from>,<descriptor to write to>"
     */
    static bool IsFor(const std::string& endpoint);

    /**
     * @param options Endpoint.
     */
    explicit LocalStepLink(const BridgeOptions& options);
    ~LocalStepLink() override;

    void Connect() override;
    void Close() override;

  private:
    using Length = uint64_t; //!< What is in front of a message

    void SendBytes(const std::string& bytes) override;
    std::string_view ReceiveBytes() override;

    /** Look for further bytes for a while, as the options say. */
    void Spin() const;

    /** Wait for further bytes. */
    void ReadMore();

    int m_reader{-1};           //!< From Python
    int m_writer{-1};           //!< To Python
    std::vector<char> m_buffer; //!< What has been read
    std::size_t m_begin{0};     //!< Where in the buffer the next message begins
    std::size_t m_end{0};       //!< Where in the buffer what has been read ends
};

} // namespace ns3

#endif /* LOCAL_STEP_LINK_H */
