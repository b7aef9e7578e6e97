// SPDX-License-Identifier: GPL-2.0-only

/*
 * The ONNX Runtime of the library COUNTED_RUNTIME, which counts its environments: each process that
 * makes the objects shared by all of its sessions adds a line to the file COUNTED_FILE. With
 * COUNTED_THREAD the process gets a thread, too.
 */

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace
{

constexpr std::size_t CREATE_ENV = 3;

/** The result of the library's only function. */
struct TableBase
{
    const void* (*getTable)(uint32_t version); //!< Returns the table, or null
    const char* (*getVersion)();               //!< Returns the library's version
};

using CreateEnv = void* (*)(int, const char*, void**);

std::array<const void*, 101> table; //!< The functions that programs call
CreateEnv createEnv;                //!< Function of the library

void*
CreateCountedEnv(int level, const char* name, void** env)
{
    std::ofstream(std::getenv("COUNTED_FILE"), std::ios::app) << getpid() << std::endl;
    if (std::getenv("COUNTED_THREAD"))
    {
        std::thread([] { pause(); }).detach();
    }
    return createEnv(level, name, env);
}

const TableBase*
GetLibrary()
{
    void* library = dlopen(std::getenv("COUNTED_RUNTIME"), RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<const TableBase* (*)()>(dlsym(library, "OrtGetApiBase"))();
}

const void*
GetTable(uint32_t version)
{
    const auto* all = static_cast<const void* const*>(GetLibrary()->getTable(version));
    std::copy(all, all + table.size(), table.begin());
    createEnv = reinterpret_cast<CreateEnv>(const_cast<void*>(table[CREATE_ENV]));
    table[CREATE_ENV] = reinterpret_cast<const void*>(CreateCountedEnv);
    return table.data();
}

} // namespace

extern "C" const TableBase*
OrtGetApiBase()
{
    static const TableBase base{GetTable, nullptr};
    return &base;
}
