// SPDX-License-Identifier: GPL-2.0-only

#include "onnx-session.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace ns3
{

namespace
{

/**
 * Positions of ONNX Runtime's functions in the table that its library returns. A position never
 * changes its function, which makes the table an interface without a header: the runtime's Python
 * packages have none.
 */
enum class Place : std::size_t
{
    GET_ERROR_MESSAGE = 2,
    CREATE_ENV = 3,
    CREATE_SESSION_FROM_ARRAY = 8,
    RUN = 9,
    CREATE_SESSION_OPTIONS = 10,
    SET_INTRA_OP_NUM_THREADS = 24,
    CREATE_TENSOR_WITH_DATA = 49,
    CREATE_CPU_MEMORY_INFO = 69,
    RELEASE_STATUS = 93,
    RELEASE_MEMORY_INFO = 94,
    RELEASE_SESSION = 95,
    RELEASE_VALUE = 96,
    RELEASE_SESSION_OPTIONS = 100,
};

/** The first version of the table; each release provides all versions. */
constexpr uint32_t TABLE_VERSION = 1;

constexpr int LOG_ERRORS = 3;      //!< The runtime's output on standard error
constexpr int ELEMENT_FLOAT = 1;   //!< Element type float
constexpr int ELEMENT_INT64 = 7;   //!< Element type int64_t
constexpr int PLAIN_ALLOCATOR = 0; //!< Memory without an arena
constexpr int PLAIN_MEMORY = 0;    //!< Memory of the default kind

/** The result of the library's only exported function. */
struct TableBase
{
    const void* (*getTable)(uint32_t version); //!< Returns the table, or null
    const char* (*getVersion)();               //!< Returns the library's version
};

/**
 * @brief ONNX Runtime, loaded once for the lifetime of the process.
 */
class OnnxRuntime
{
  public:
    /**
     * @return the runtime; throw PolicyFault when it is missing
     */
    static const OnnxRuntime& Get()
    {
        static const OnnxRuntime runtime;
        return runtime;
    }

    /**
     * @tparam Arguments Types of the function's arguments.
     * @param place Position of the function.
     * @param arguments Arguments of the function; throw PolicyFault when it fails.
     */
    template <typename... Arguments>
    void Call(Place place, Arguments... arguments) const
    {
        const auto function = reinterpret_cast<void* (*)(Arguments...)>(At(place));
        if (void* status = function(arguments...))
        {
            const auto getMessage =
                reinterpret_cast<const char* (*)(const void*)>(At(Place::GET_ERROR_MESSAGE));
            const std::string message = getMessage(status);
            Release(Place::RELEASE_STATUS, status);
            throw PolicyFault(message);
        }
    }

    /**
     * @return the shared part of sessions, which takes longer to make than a small session. It may
     * have threads, for which a fork would wait at its end; see PrepareOnnxRuntime().
     */
    void* GetEnv() const
    {
        if (!m_env)
        {
            Call(Place::CREATE_ENV, LOG_ERRORS, "defiance", &m_env);
        }
        return m_env;
    }

    /**
     * @param place Position of a releasing function.
     * @param object The object to release; may be null.
     */
    void Release(Place place, void* object) const
    {
        if (object)
        {
            reinterpret_cast<void (*)(void*)>(At(place))(object);
        }
    }

  private:
    /** Load the library. */
    OnnxRuntime()
    {
        void* library = Load();
        const auto getBase =
            reinterpret_cast<const TableBase* (*)()>(dlsym(library, "OrtGetApiBase"));
        const void* table = getBase ? getBase()->getTable(TABLE_VERSION) : nullptr;
        if (!table)
        {
            throw PolicyFault("the library that DEFIANCE_ONNXRUNTIME names is not ONNX Runtime");
        }
        m_table = static_cast<void* const*>(table);
    }

    /**
     * Without telemetry: a simulation does not report, and the reporting thread would prevent
     * snapshots. A user's setting of the variable has precedence.
     *
     * @return the open library
     */
    static void* Load()
    {
        constexpr int KEEP_OTHERS = 0;
        setenv("ORT_DISABLE_TELEMETRY", "1", KEEP_OTHERS);
        const char* chosen = std::getenv("DEFIANCE_ONNXRUNTIME");
        std::vector<std::string> names{"libonnxruntime.so.1", "libonnxruntime.so"};
        if (chosen && *chosen)
        {
            names = {chosen};
        }
        std::string errors;
        for (const auto& name : names)
        {
            if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
            {
                return library;
            }
            errors += std::string("\n  ") + dlerror();
        }
        throw PolicyFault(
            "a policy file needs ONNX Runtime, which was not found:" + errors +
            "\nInstall it ('apt-get install libonnxruntime-dev' on Debian 13, or 'pip install "
            "onnxruntime' anywhere), and set DEFIANCE_ONNXRUNTIME to the path of "
            "libonnxruntime.so* unless it is in a system folder");
    }

    /**
     * @param place Position of the function.
     * @return the function
     */
    void* At(Place place) const
    {
        return m_table[static_cast<std::size_t>(place)];
    }

    void* const* m_table;         //!< The functions
    mutable void* m_env{nullptr}; //!< The common objects of sessions; null: no session yet
};

} // namespace

namespace
{

/** Run a minimal network, so that the runtime has done its one-time work. */
void
RunSomething()
{
    // An ONNX model of one node: b = Identity(a), a float of shape (1).
    constexpr std::array<unsigned char, 65> MODEL{
        0x08, 0x0a, 0x3a, 0x37, 0x0a, 0x10, 0x0a, 0x01, 'a',  0x12, 0x01, 'b',  0x22,
        0x08, 'I',  'd',  'e',  'n',  't',  'i',  't',  'y',  0x12, 0x01, 'g',  0x5a,
        0x0f, 0x0a, 0x01, 'a',  0x12, 0x0a, 0x0a, 0x08, 0x08, 0x01, 0x12, 0x04, 0x0a,
        0x02, 0x08, 0x01, 0x62, 0x0f, 0x0a, 0x01, 'b',  0x12, 0x0a, 0x0a, 0x08, 0x08,
        0x01, 0x12, 0x04, 0x0a, 0x02, 0x08, 0x01, 0x42, 0x04, 0x0a, 0x00, 0x10, 0x12};
    const std::span model(reinterpret_cast<const char*>(MODEL.data()), MODEL.size());
    OnnxSession session(model, {{"a", false, {1}, 1}}, {{"b", false, {1}, 1}});
    session.Run({std::array<float, 1>{}});
}

/**
 * Test in a fork of this process whether the runtime has its own threads: they could not be removed
 * here.
 *
 * @param isAlone Whether the calling process has one thread.
 * @return whether it runs networks without threads
 */
bool
NeedsNoThread(bool (*isAlone)())
{
    const auto pid = fork();
    if (pid == 0)
    {
        try
        {
            RunSomething();
        }
        catch (const PolicyFault&)
        {
            std::_Exit(1);
        }
        std::_Exit(isAlone() ? 0 : 1);
    }
    int status = 1;
    while (waitpid(pid, &status, 0) == -1 && errno == EINTR)
    {
    }
    return status == 0;
}

} // namespace

void
PrepareOnnxRuntime(bool (*isAlone)())
{
    const char* chosen = std::getenv("DEFIANCE_ONNXRUNTIME");
    if (!chosen || !*chosen)
    {
        return;
    }
    try
    {
        OnnxRuntime::Get();
        if (NeedsNoThread(isAlone))
        {
            RunSomething();
        }
    }
    catch (const PolicyFault&)
    {
        // If the construction of a static object fails, it is repeated at the next call.
    }
}

OnnxSession::OnnxSession(std::vector<OnnxTensor> inputs, std::vector<OnnxTensor> outputs)
    : m_inputs{std::move(inputs), {}, {}, {}},
      m_outputs{std::move(outputs), {}, {}, {}}
{
    OnnxRuntime::Get(); // the destructor needs it
}

// Once the other constructor has returned, the destructor releases the objects of a failed one.
OnnxSession::OnnxSession(std::span<const char> model,
                         std::vector<OnnxTensor> inputs,
                         std::vector<OnnxTensor> outputs)
    : OnnxSession(std::move(inputs), std::move(outputs))
{
    const auto& runtime = OnnxRuntime::Get();
    runtime.Call(Place::CREATE_SESSION_OPTIONS, &m_options);
    runtime.Call(Place::SET_INTRA_OP_NUM_THREADS, m_options, 1);
    runtime.Call(Place::CREATE_CPU_MEMORY_INFO, PLAIN_ALLOCATOR, PLAIN_MEMORY, &m_memory);
    runtime.Call(Place::CREATE_SESSION_FROM_ARRAY,
                 runtime.GetEnv(),
                 static_cast<const void*>(model.data()),
                 model.size(),
                 m_options,
                 &m_session);
    MakeValues(m_inputs);
    MakeValues(m_outputs);
}

OnnxSession::~OnnxSession()
{
    const auto& runtime = OnnxRuntime::Get();
    for (const auto* side : {&m_inputs, &m_outputs})
    {
        for (void* value : side->values)
        {
            runtime.Release(Place::RELEASE_VALUE, value);
        }
    }
    runtime.Release(Place::RELEASE_MEMORY_INFO, m_memory);
    runtime.Release(Place::RELEASE_SESSION, m_session);
    runtime.Release(Place::RELEASE_SESSION_OPTIONS, m_options);
}

void
OnnxSession::MakeValues(Side& side)
{
    for (const auto& tensor : side.tensors)
    {
        side.names.push_back(tensor.name.c_str());
        const auto itemSize = tensor.isInteger ? sizeof(int64_t) : sizeof(float);
        auto& elements = side.elements.emplace_back(tensor.size * itemSize);
        OnnxRuntime::Get().Call(Place::CREATE_TENSOR_WITH_DATA,
                                m_memory,
                                static_cast<void*>(elements.data()),
                                elements.size(),
                                tensor.shape.data(),
                                tensor.shape.size(),
                                tensor.isInteger ? ELEMENT_INT64 : ELEMENT_FLOAT,
                                &side.values.emplace_back(nullptr));
    }
}

void
OnnxSession::Run(std::initializer_list<std::span<const float>> numbers)
{
    auto elements = m_inputs.elements.begin();
    for (const auto& each : numbers)
    {
        std::memcpy((elements++)->data(), each.data(), each.size_bytes());
    }
    OnnxRuntime::Get().Call(Place::RUN,
                            m_session,
                            static_cast<void*>(nullptr),
                            m_inputs.names.data(),
                            m_inputs.values.data(),
                            m_inputs.values.size(),
                            m_outputs.names.data(),
                            m_outputs.names.size(),
                            m_outputs.values.data());
}

std::vector<double>
OnnxSession::GetNumbers(std::size_t output) const
{
    const auto* elements = m_outputs.elements[output].data();
    const auto& [name, isInteger, shape, size] = m_outputs.tensors[output];
    if (isInteger)
    {
        const auto* integers = reinterpret_cast<const int64_t*>(elements);
        return {integers, integers + size};
    }
    const auto* reals = reinterpret_cast<const float*>(elements);
    return {reals, reals + size};
}

} // namespace ns3
