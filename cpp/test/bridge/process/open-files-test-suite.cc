// SPDX-License-Identifier: GPL-2.0-only

#include "open-files.h"

#include "ns3/test.h"

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace ns3;

/**
 * @brief A test with its own file.
 */
class OpenFilesTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /** @return the contents of the file */
    std::string Read()
    {
        std::ifstream file(m_name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    std::string m_name; //!< Path of the file

  private:
    void DoSetup() override
    {
        m_name = CreateTempDirFilename("trace");
    }

    void DoTeardown() override
    {
        std::filesystem::remove(m_name);
    }
};

/**
 * @brief Files like traces: written at their end.
 */
class RewoundFilesTestCase : public OpenFilesTestCase
{
  public:
    RewoundFilesTestCase()
        : OpenFilesTestCase("A file continues at the copy's position, without later contents")
    {
    }

  private:
    void DoRun() override
    {
        std::ofstream file(m_name, std::ios::binary);
        std::ifstream reader(m_name, std::ios::binary);
        file << "before" << std::flush;
        const auto files = OpenFiles::Find();
        for (const std::string words : {" one way", " and", ""})
        {
            file << words << std::flush;
            NS_TEST_EXPECT_MSG_EQ(Read(), "before" + words, "Written");
            files.Rewind();
            NS_TEST_EXPECT_MSG_EQ(Read(), "before", "The later contents are removed");
        }
        file << " after" << std::flush;
        NS_TEST_EXPECT_MSG_EQ(Read(), "before after", "It continues there");
    }
};

/**
 * @brief A file that is written in its middle.
 */
class RewrittenFilesTestCase : public OpenFilesTestCase
{
  public:
    RewrittenFilesTestCase()
        : OpenFilesTestCase("A file that is written in its middle keeps its end")
    {
    }

  private:
    void DoRun() override
    {
        std::fstream file(m_name, std::ios::binary | std::ios::out | std::ios::trunc);
        file << "0123456789" << std::flush;
        file.seekp(3);
        const auto files = OpenFiles::Find();
        file << "abc" << std::flush;
        files.Rewind();
        file << "ABC" << std::flush;
        NS_TEST_EXPECT_MSG_EQ(Read(), "012ABC6789", "At the same place");
    }
};

/**
 * @brief Files whose writes are discarded.
 */
class SilencedFilesTestCase : public OpenFilesTestCase
{
  public:
    SilencedFilesTestCase()
        : OpenFilesTestCase("Writes to a silenced file are lost without an error")
    {
    }

  private:
    void DoRun() override
    {
        std::ofstream file(m_name, std::ios::binary);
        file << "before" << std::flush;
        OpenFiles::Find().DiscardWrites();
        file << " after" << std::flush;
        NS_TEST_EXPECT_MSG_EQ(file.good(), true, "The program does not notice");
        NS_TEST_EXPECT_MSG_EQ(Read(), "before", "Nothing was written");
        OpenFiles::Find().Rewind();
        file << " at last" << std::flush;
        NS_TEST_EXPECT_MSG_EQ(Read(), "before", "It stays silent");
    }
};

/** Files that a simulation writes while copies of it are made. */
class OpenFilesTestSuite : public TestSuite
{
  public:
    OpenFilesTestSuite()
        : TestSuite("defiance-open-files", Type::UNIT)
    {
        AddTestCase(new RewoundFilesTestCase);
        AddTestCase(new RewrittenFilesTestCase);
        AddTestCase(new SilencedFilesTestCase);
    }
};

static OpenFilesTestSuite g_openFilesTestSuite; //!< Registers the suite
