// SPDX-License-Identifier: GPL-2.0-only

#ifndef ARGUMENTS_H
#define ARGUMENTS_H

// The common part of functions that Python calls.

#define Py_LIMITED_API 0x030a0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <string_view>

/**
 * @brief The arguments of a function. Each getter sets a Python error if the argument is invalid;
 * its result must not be used then.
 */
class Arguments
{
  public:
    /**
     * @param values The arguments.
     * @param count Number of arguments.
     * @param least Least allowed number.
     */
    Arguments(PyObject* const* values, Py_ssize_t count, Py_ssize_t least)
        : m_values(values),
          m_areValid(count >= least)
    {
        if (!m_areValid)
        {
            PyErr_Format(PyExc_TypeError, "%zd arguments instead of %zd", count, least);
        }
    }

    /** @return whether there is no error so far */
    bool AreValid() const
    {
        return m_areValid;
    }

    /**
     * @param holds The condition on the arguments.
     * @param otherwise The error if it does not hold.
     */
    void Require(bool holds, const char* otherwise)
    {
        if (m_areValid && !holds)
        {
            PyErr_SetString(PyExc_ValueError, otherwise);
            m_areValid = false;
        }
    }

    /**
     * @tparam T Type of the object in memory.
     * @param place Position of the address.
     * @return the object at the address
     */
    template <typename T>
    T* At(Py_ssize_t place)
    {
        void* address = m_areValid ? PyLong_AsVoidPtr(m_values[place]) : nullptr;
        Require(address || PyErr_Occurred(), "an address is 0");
        m_areValid = m_areValid && address;
        return static_cast<T*>(address);
    }

    /**
     * @param place Position of a nonnegative number.
     * @return the number
     */
    std::size_t Size(Py_ssize_t place)
    {
        const auto size = m_areValid ? PyLong_AsSize_t(m_values[place]) : 0;
        m_areValid = m_areValid && !(size == static_cast<std::size_t>(-1) && PyErr_Occurred());
        return size;
    }

    /**
     * @param place Position of a file descriptor.
     * @return the descriptor
     */
    int Descriptor(Py_ssize_t place)
    {
        const auto number = m_areValid ? PyLong_AsLong(m_values[place]) : 0;
        m_areValid = m_areValid && !(number == -1 && PyErr_Occurred());
        return static_cast<int>(number);
    }

    /**
     * @param place Position of a number.
     * @return the number
     */
    double Real(Py_ssize_t place)
    {
        const auto number = m_areValid ? PyFloat_AsDouble(m_values[place]) : 0;
        m_areValid = m_areValid && !(number == -1 && PyErr_Occurred());
        return number;
    }

    /**
     * @tparam T Type of a capsule's content.
     * @param place Position of the capsule.
     * @param name Name of the capsules.
     * @return the content
     */
    template <typename T>
    const T* In(Py_ssize_t place, const char* name)
    {
        void* content = m_areValid ? PyCapsule_GetPointer(m_values[place], name) : nullptr;
        m_areValid = m_areValid && content;
        return static_cast<const T*>(content);
    }

    /**
     * @param place Position of bytes.
     * @return the bytes
     */
    std::string_view Bytes(Py_ssize_t place)
    {
        char* bytes = nullptr;
        Py_ssize_t length = 0;
        m_areValid = m_areValid && PyBytes_AsStringAndSize(m_values[place], &bytes, &length) == 0;
        return {bytes, static_cast<std::size_t>(length)};
    }

  private:
    PyObject* const* m_values; //!< The arguments
    bool m_areValid;           //!< Whether there is no error so far
};

/**
 * @param function A function that takes its arguments as an array.
 * @return the function in the form of a method table
 */
inline PyCFunction
Fast(PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t))
{
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

#endif /* ARGUMENTS_H */
