// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_HOOK_H
#define SCRIPT_HOOK_H

#include "ns3/rl-simulation.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>

namespace ns3
{

namespace nb = nanobind;

/**
 * @brief A Python function of the scenario, called by ns-3.
 *
 * An exception in it ends the episode. Copies share the function. It is dropped at the end of the
 * simulation, so that functions and their objects release each other.
 */
class ScriptHook
{
  public:
    ScriptHook() = default;

    /**
     * @param function The function to call; None: nothing.
     */
    explicit ScriptHook(nb::object function);

    /**
     * @param function The function to call.
     * @return a hook that outlasts the simulation
     */
    static ScriptHook Lasting(nb::object function);

    /** @return whether there is a function */
    explicit operator bool() const
    {
        return m_function && m_function->is_valid();
    }

    /**
     * @param arguments The function's arguments.
     * @return the function's result; None without a function
     */
    template <typename... Arguments>
    nb::object operator()(Arguments&&... arguments) const
    {
        if (!*this)
        {
            return nb::none();
        }
        RlSimulation::RequireProgress([this] { return Locate(); });
        try
        {
            const nb::object function = *m_function; // which may drop itself
            return function(std::forward<Arguments>(arguments)...);
        }
        catch (nb::python_error& error)
        {
            Fail(error, Locate());
        }
    }

    /**
     * Call the function, if there is one, as PyObject_Vectorcall() does.
     *
     * @param arguments Arguments of the function.
     * @param count Number of arguments.
     */
    void CallWith(PyObject* const* arguments, std::size_t count) const;

    void Drop(); //!< Release the function, in all copies

    /** @return the traceback line of the function; empty: there is none */
    std::string Locate() const;

    /**
     * End the episode, and the process, because of an exception.
     *
     * @param error The exception.
     * @param place Origin of the call, a line to show if the exception has no traceback.
     */
    [[noreturn]] static void Fail(nb::python_error& error, const std::string& place);

  private:
    std::shared_ptr<nb::object> m_function; //!< The function
};

/**
 * Call Python from ns-3, which exceptions must not reach.
 *
 * @param action The call; an exception ends the episode.
 * @param locate Returns the line to show if an exception has no line of the user's code.
 * @return the action's result
 */
template <typename F, typename L>
auto
Guarded(F&& action, L&& locate)
{
    try
    {
        return action();
    }
    catch (nb::python_error& error)
    {
        ScriptHook::Fail(error, locate());
    }
    catch (const nb::builtin_exception& error)
    {
        PyErr_SetString(PyExc_ValueError, error.what());
        nb::python_error raised;
        ScriptHook::Fail(raised, locate());
    }
    catch (const nb::cast_error&)
    {
        PyErr_SetString(PyExc_TypeError, "a function has returned a value of the wrong type");
        nb::python_error raised;
        ScriptHook::Fail(raised, locate());
    }
}

/**
 * @param action The call; an exception ends the episode.
 * @return the action's result
 */
template <typename F>
auto
Guarded(F&& action)
{
    return Guarded(std::forward<F>(action), [] { return std::string(); });
}

/**
 * @param action The use of a hook's result; an exception ends the episode.
 * @param hook The hook.
 * @return the action's result
 */
template <typename F>
auto
GuardedAfter(const ScriptHook& hook, F&& action)
{
    return Guarded(std::forward<F>(action), [&] { return hook.Locate(); });
}

} // namespace ns3

#endif /* SCRIPT_HOOK_H */
