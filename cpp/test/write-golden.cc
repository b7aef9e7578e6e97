// SPDX-License-Identifier: GPL-2.0-only

// Writes the golden messages to a directory: defiance-write-golden tests/golden

#include "golden-messages.h"

#include <fstream>
#include <iostream>

int
main(int argc, char* argv[])
{
    if (argc != 2)
    {
        std::cerr << "Usage: defiance-write-golden <directory>" << std::endl;
        return 2;
    }
    for (const auto& [name, bytes] : MakeGoldenMessages())
    {
        const auto path = std::string(argv[1]) + "/" + name;
        std::ofstream file(path, std::ios::binary);
        if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush())
        {
            std::cerr << "Cannot write " << path << std::endl;
            return 1;
        }
        std::cout << path << ": " << bytes.size() << " bytes" << std::endl;
    }
    return 0;
}
