// SPDX-License-Identifier: GPL-2.0-only

#include "doorbell.h"
#include "fake-python.h"
#include "mailbox.h"
#include "step-link.h"

#include "ns3/test.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace ns3;

/**
 * @brief Both ends of a local link.
 */
class LocalLinkTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * Open the pipes and connect.
     *
     * @param more Further contents of the endpoint.
     */
    void Open(const std::string& more = "")
    {
        NS_TEST_ASSERT_MSG_EQ(pipe(m_toSimulation.data()), 0, "A pipe");
        NS_TEST_ASSERT_MSG_EQ(pipe(m_toPython.data()), 0, "Another one");
        BridgeOptions options;
        options.endpoint =
            "fd:" + std::to_string(m_toSimulation[0]) + "," + std::to_string(m_toPython[1]) + more;
        m_link = StepLink::Create(options);
        m_link->Connect();
    }

    /**
     * @param bytes Bytes from Python.
     */
    void Write(const std::string& bytes)
    {
        std::size_t done = 0;
        while (done < bytes.size())
        {
            const auto count = write(m_toSimulation[1], bytes.data() + done, bytes.size() - done);
            done += count > 0 ? static_cast<std::size_t>(count) : bytes.size();
        }
    }

    /**
     * @param length Length in the header.
     * @param content Contents.
     * @return a message with its header
     */
    static std::string Frame(uint64_t length, const std::string& content)
    {
        std::string bytes(sizeof(length), '\0');
        std::memcpy(bytes.data(), &length, sizeof(length));
        return bytes + content;
    }

    /**
     * @param size Number of bytes.
     * @return the bytes that Python reads
     */
    std::string Read(std::size_t size)
    {
        std::string bytes(size, '\0');
        for (std::size_t done = 0; done < size;)
        {
            const auto count = read(m_toPython[0], bytes.data() + done, size - done);
            if (count <= 0)
            {
                return "";
            }
            done += static_cast<std::size_t>(count);
        }
        return bytes;
    }

    /**
     * @return the error of a receive, or an empty string
     */
    std::string FindFault()
    {
        defiance::v1::PythonMessage message;
        try
        {
            m_link->Receive(message);
        }
        catch (const BridgeFault& fault)
        {
            return fault.what();
        }
        return "";
    }

    /** Close everything. */
    void Close()
    {
        m_link->Close();
        close(m_toSimulation[1]);
        close(m_toPython[0]);
    }

    std::array<int, 2> m_toSimulation{}; //!< Pipe from Python
    std::array<int, 2> m_toPython{};     //!< Pipe to Python
    std::unique_ptr<StepLink> m_link;    //!< The simulation's end
};

/**
 * @brief Messages of any size, in pieces and several at once.
 */
class LocalMessagesTestCase : public LocalLinkTestCase
{
  public:
    LocalMessagesTestCase()
        : LocalLinkTestCase("Messages of any size cross a local link")
    {
    }

  private:
    void DoRun() override
    {
        Open();
        std::vector<std::string> sent;
        for (const std::size_t size : {0, 1, 100, 65528, 65536, 200000, 5000000, 7})
        {
            defiance::v1::PythonMessage message;
            message.mutable_failure()->set_message(std::string(size, 'x'));
            sent.push_back(message.SerializeAsString());
        }
        std::thread python([&] {
            std::string all;
            for (const auto& bytes : sent)
            {
                all += Frame(bytes.size(), bytes);
            }
            Write(all);
        });
        for (const auto& bytes : sent)
        {
            defiance::v1::PythonMessage message;
            m_link->Receive(message);
            NS_TEST_EXPECT_MSG_EQ((message.SerializeAsString() == bytes),
                                  true,
                                  "It arrives completely");
        }
        python.join();
        std::thread simulation([&] {
            m_link->SendFailure(defiance::v1::Failure::CODE_WRONG_SEQUENCE,
                                std::string(3000000, 'y'));
        });
        uint64_t length = 0;
        const auto header = Read(sizeof(length));
        std::memcpy(&length, header.data(), sizeof(length));
        defiance::v1::SimulationMessage message;
        NS_TEST_EXPECT_MSG_EQ(message.ParseFromString(Read(length)),
                              true,
                              "In the other direction, too");
        NS_TEST_EXPECT_MSG_EQ(message.failure().message().size(), 3000000, "completely");
        simulation.join();
        Close();
    }
};

/**
 * @brief Faults that break a local link.
 */
class LocalFaultsTestCase : public LocalLinkTestCase
{
  public:
    LocalFaultsTestCase()
        : LocalLinkTestCase("A local link reports its fault")
    {
    }

  private:
    void DoRun() override
    {
        Open();
        Write(Frame(3, "\xff\xff\xff"));
        NS_TEST_EXPECT_MSG_EQ(FindFault(),
                              "Python sent 3 bytes that are not a message of the protocol",
                              "Garbage");
        Write(Frame(100, "only this"));
        close(m_toSimulation[1]);
        NS_TEST_EXPECT_MSG_EQ(FindFault(),
                              "the Python process has closed the connection",
                              "A truncated message");
        close(m_toPython[0]);
        std::string fault;
        try
        {
            m_link->SendFailure(defiance::v1::Failure::CODE_WRONG_SEQUENCE, "nobody hears this");
        }
        catch (const BridgeFault& caught)
        {
            fault = caught.what();
        }
        NS_TEST_EXPECT_MSG_EQ(fault, "cannot send to Python: Broken pipe", "Python has gone");
        m_link->Close();

        BridgeOptions options;
        options.endpoint = "fd:one,2";
        bool isRefused = false;
        try
        {
            StepLink::Create(options)->Connect();
        }
        catch (const BridgeFault&)
        {
            isRefused = true;
        }
        NS_TEST_EXPECT_MSG_EQ(isRefused, true, "An endpoint without descriptors");
    }
};

/**
 * @brief Lengths that Python never writes.
 */
class LocalLengthsTestCase : public LocalLinkTestCase
{
  public:
    LocalLengthsTestCase()
        : LocalLinkTestCase("A length is checked before it is used")
    {
    }

  private:
    /**
     * @param length Length in the header of a message in the pipe.
     */
    void RefuseInPipe(uint64_t length)
    {
        Open();
        Write(Frame(length, "word"));
        NS_TEST_EXPECT_MSG_EQ(FindFault(),
                              "Python sent a message of " + std::to_string(length) +
                                  " bytes where 2147483647 are possible",
                              "In a pipe");
        Close();
    }

    /**
     * @param length Length in a mailbox.
     */
    void RefuseInMailbox(uint64_t length)
    {
        const std::array<int, 2> memory{memfd_create("mailboxes", 0), memfd_create("bell", 0)};
        NS_TEST_ASSERT_MSG_EQ(ftruncate(memory[0], sizeof(Mailboxes)), 0, "Room");
        NS_TEST_ASSERT_MSG_EQ(ftruncate(memory[1], sizeof(Doorbell)), 0, "for both directions");
        auto* shared =
            mmap(nullptr, sizeof(Mailboxes), PROT_READ | PROT_WRITE, MAP_SHARED, memory[0], 0);
        Open("," + std::to_string(memory[0]) + "," + std::to_string(memory[1]));
        static_cast<Mailboxes*>(shared)->toSimulation.Post(length);
        NS_TEST_EXPECT_MSG_EQ(FindFault(),
                              "Python sent a message of " + std::to_string(length) +
                                  " bytes where 65536 are possible",
                              "In a mailbox");
        Close();
        munmap(shared, sizeof(Mailboxes));
    }

    void DoRun() override
    {
        for (const uint64_t length : {uint64_t{1} << 31, uint64_t{1} << 40, ~uint64_t{0}})
        {
            RefuseInPipe(length);
            RefuseInMailbox(length);
        }
        RefuseInMailbox(Mailbox::CAPACITY + 1);
    }
};

/** Links through pipes. */
class LocalStepLinkTestSuite : public TestSuite
{
  public:
    LocalStepLinkTestSuite()
        : TestSuite("defiance-local-step-link", Type::UNIT)
    {
        AddTestCase(new LocalMessagesTestCase);
        AddTestCase(new LocalFaultsTestCase);
        AddTestCase(new LocalLengthsTestCase);
    }
};

static LocalStepLinkTestSuite g_localStepLinkTestSuite; //!< Registers the suite
