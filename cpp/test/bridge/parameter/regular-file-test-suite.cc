// SPDX-License-Identifier: GPL-2.0-only

#include "temporary-directory.h"

#include "ns3/regular-file.h"
#include "ns3/test.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Readable and refused files.
 */
class RegularFileTestCase : public TestCase
{
  public:
    RegularFileTestCase()
        : TestCase("Only small regular files are read")
    {
    }

  private:
    void DoRun() override
    {
        const TemporaryDirectory directory;
        const auto file = directory.GetPath("file");
        const auto pipe = directory.GetPath("pipe");
        const auto link = directory.GetPath("link");
        std::ofstream(file) << "12345";
        mkfifo(pipe.c_str(), 0600);
        std::filesystem::create_symlink(pipe, link);
        NS_TEST_EXPECT_MSG_EQ(ReadRegularFile(file).content, "12345", "A file");
        NS_TEST_EXPECT_MSG_EQ(ReadRegularFile(file, 5).fault, "", "A file of the maximum size");
        NS_TEST_EXPECT_MSG_EQ(ReadRegularFile(file, 4).fault,
                              "it has more than 4 bytes",
                              "A larger file");
        const std::string special = "it is not a regular file";
        NS_TEST_EXPECT_MSG_EQ(ReadRegularFile(pipe).fault, special, "A pipe without a writer");
        NS_TEST_EXPECT_MSG_EQ(ReadRegularFile(link).fault, special, "A link to a pipe");
        NS_TEST_EXPECT_MSG_EQ(ReadRegularFile("/dev/zero").fault, special, "A device");
        NS_TEST_EXPECT_MSG_EQ(ReadRegularFile("/").fault, "Is a directory", "A directory");
        NS_TEST_EXPECT_MSG_EQ(ReadRegularFile(directory.GetPath("none")).fault,
                              "No such file or directory",
                              "Nothing");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Suite of files that others have written.
 */
class RegularFileTestSuite : public TestSuite
{
  public:
    RegularFileTestSuite()
        : TestSuite("defiance-regular-file", Type::UNIT)
    {
        AddTestCase(new RegularFileTestCase);
    }
};

static RegularFileTestSuite g_regularFileTestSuite; //!< Registers the suite
