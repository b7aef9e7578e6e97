// SPDX-License-Identifier: GPL-2.0-only

// Python's work at each step of a connection through pipes, in one call.

#include "arguments.h"
#include "functions.h"

#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace
{

using Length = uint64_t; //!< The header of a message

constexpr int GLANCE_MS = 1; //!< Wait in which output does not matter
constexpr int WAIT_MS = 20;  //!< Longest wait outside Python's own

/** Room for one read: the capacity of a pipe. */
using Buffer = std::array<char, 64 * 1024>;

/** The descriptors of a connection. */
struct Conversation
{
    int writer; //!< The descriptor that Python writes
    int reader; //!< The descriptor that Python reads
    int output; //!< The descriptor of the simulation's output, or -1
};

/**
 * Write a message.
 *
 * @param descriptor Nonblocking pipe.
 * @param message The message, short enough for an atomic write.
 * @return whether it was written; if not, with errno
 */
bool
WriteMessage(int descriptor, std::string_view message)
{
    Length size = message.size();
    std::array<iovec, 2> parts{
        {{&size, sizeof(size)}, {const_cast<char*>(message.data()), message.size()}}};
    return writev(descriptor, parts.data(), parts.size()) != -1;
}

/**
 * Wait until there is data to read, and no other work.
 *
 * Many programs print at each step. Their answers come at once, so their output can wait.
 *
 * @param conversation The descriptors.
 * @param buffer Buffer for the data.
 * @return the number of bytes, or 0
 */
std::size_t
ReadAlone(const Conversation& conversation, Buffer& buffer)
{
    std::array<pollfd, 2> items{
        {{conversation.reader, POLLIN, 0}, {conversation.output, POLLIN, 0}}};
    if ((poll(items.data(), 1, GLANCE_MS) == 0 && poll(items.data(), items.size(), WAIT_MS) != 1) ||
        items[0].revents != POLLIN)
    {
        return 0;
    }
    const auto count = read(conversation.reader, buffer.data(), buffer.size());
    return count > 0 ? static_cast<std::size_t>(count) : 0;
}

/**
 * @param buffer The bytes read.
 * @param count Number of bytes.
 * @return whether they are one whole message
 */
bool
IsMessage(const Buffer& buffer, std::size_t count)
{
    Length length = 0;
    std::memcpy(&length, buffer.data(), sizeof(length));
    return count >= sizeof(length) && length == count - sizeof(length);
}

/** See METHODS. */
PyObject*
Converse(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t given)
{
    Arguments values(arguments, given, 5);
    const Conversation conversation{values.Descriptor(0),
                                    values.Descriptor(1),
                                    values.Descriptor(3)};
    const auto message = values.Bytes(4);
    if (!values.AreValid())
    {
        return nullptr;
    }
    Buffer buffer;
    auto* state = PyEval_SaveThread();
    const bool written = WriteMessage(conversation.writer, message);
    const int fault = errno;
    const auto count = written ? ReadAlone(conversation, buffer) : 0;
    PyEval_RestoreThread(state);
    if (!written)
    {
        errno = fault;
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    if (IsMessage(buffer, count))
    {
        return PyBytes_FromStringAndSize(buffer.data() + sizeof(Length), count - sizeof(Length));
    }
    return PyObject_CallMethod(arguments[2], "extend", "y#", buffer.data(), count);
}

/** The functions that Python may call. */
PyMethodDef METHODS[] = {{"converse",
                          Fast(Converse),
                          METH_FASTCALL,
                          "converse(writer, reader, received, output, message): write the message, "
                          "and return the next message if it comes soon, complete and alone; "
                          "otherwise return None, and add its received part to `received`"},
                         {nullptr, nullptr, 0, nullptr}};

} // namespace

PyMethodDef*
GetPipeMethods()
{
    return METHODS;
}
