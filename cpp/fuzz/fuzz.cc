// SPDX-License-Identifier: GPL-2.0-only

// defiance-fuzz <target> <seconds> <seed> <file> <input>... calls a target with inputs and with
// variants of inputs. Before each call it writes the input's length and the input to the file. With
// 0 seconds it uses only the inputs.

#include "mutator.h"
#include "targets.h"

#include <fcntl.h>
#include <google/protobuf/stubs/logging.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

namespace
{

/** Number of arguments before the inputs, with the program's name. */
constexpr int INPUTS = 5;

/**
 * @brief A file with the last input, which survives a crash of the process.
 */
class LastInput
{
  public:
    /** @param path Path of the file. */
    explicit LastInput(const char* path)
    {
        const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
        Require(file >= 0 && ftruncate(file, SIZE) == 0, "the file can be written");
        m_memory =
            static_cast<char*>(mmap(nullptr, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
        close(file);
    }

    /** @param input The input. */
    void Note(const std::string& input)
    {
        const uint64_t length = input.size();
        std::memcpy(m_memory, &length, sizeof(length));
        std::memcpy(m_memory + sizeof(length), input.data(), input.size());
    }

  private:
    static constexpr std::size_t SIZE = sizeof(uint64_t) + Mutator::MAX_SIZE; //!< Size of the file

    char* m_memory; //!< The file
};

/**
 * @param path A file.
 * @return the content of the file
 */
std::string
ReadFile(const char* path)
{
    std::ifstream file(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    bytes.resize(std::min(bytes.size(), Mutator::MAX_SIZE));
    return bytes;
}

} // namespace

void
Require(bool holds, const char* what)
{
    if (!holds)
    {
        std::fprintf(stderr, "it does not hold that %s\n", what);
        std::abort();
    }
}

int
main(int argc, char* argv[])
{
    auto targets = GetDecoderTargets();
    targets.merge(GetLinkTargets());
    if (argc <= INPUTS || !targets.contains(argv[1]))
    {
        std::cerr << "Usage: defiance-fuzz <target> <seconds> <seed> <file> <input>...\nTargets:";
        for (const auto& [name, run] : targets)
        {
            std::cerr << " " << name;
        }
        std::cerr << std::endl;
        return 2;
    }
    google::protobuf::SetLogHandler(nullptr); // it reports each invalid text
    const auto run = targets.at(argv[1]);
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(argv[2]));
    LastInput last(argv[4]);
    std::vector<std::string> corpus;
    std::size_t count = 0;
    const auto feed = [&](const std::string& input) {
        last.Note(input);
        run(input);
        ++count;
    };
    for (int i = INPUTS; i < argc; ++i)
    {
        corpus.push_back(ReadFile(argv[i]));
        feed(corpus.back());
    }
    Mutator mutator(std::strtoull(argv[3], nullptr, 10), corpus);
    while (std::chrono::steady_clock::now() < end)
    {
        feed(mutator.Next());
    }
    std::cout << count << std::endl;
    return 0;
}
