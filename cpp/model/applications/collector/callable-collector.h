// SPDX-License-Identifier: GPL-2.0-only

#ifndef CALLABLE_COLLECTOR_H
#define CALLABLE_COLLECTOR_H

#include "observation-application.h"
#include "reward-application.h"

#include "ns3/abort.h"
#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A data collector made from a function: it sends the function's results to all connected
 * agents.
 *
 * The function is called at an interval, or whenever a trace source fires, but only while the
 * application runs. It returns a number, a container, or a null pointer to send nothing. A dict is
 * the message itself. All other values are the only entry of a message, under the key "observation"
 * or "reward"; a number becomes a box of one double.
 *
 * @tparam Base ObservationApplication or RewardApplication.
 */
template <typename Base>
class CallableCollector : public Base
{
  public:
    /**
     * @brief Call a function at an interval, first one interval after the start.
     * @param interval time between two calls
     * @param function returns the data to send
     */
    template <typename F>
    CallableCollector(Time interval, F function);

    /**
     * @brief Call a function whenever a trace source of an object fires.
     * @param object object of the trace source; it stays the same when the application moves
     * @param traceSource name of the trace source
     * @param function takes the source's arguments, with exactly their types, and returns the data
     */
    template <typename F>
    CallableCollector(Ptr<Object> object, const std::string& traceSource, F function);

    /**
     * @brief Call a function whenever one of the trace sources at a Config path fires.
     * @param path an absolute path, or a path from the application's node, such as
     * "DeviceList/0/$ns3::PointToPointNetDevice/TxQueue/Drop": it follows moves
     * @param function takes the source's arguments, with exactly their types, and returns the data
     */
    template <typename F>
    CallableCollector(const std::string& path, F function);

    void RegisterCallbacks() override;
    void UnregisterCallbacks() override;

  protected:
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

  private:
    /**
     * @brief Make a callback that sends the function's results.
     * @param function the function
     * @return a callback with the same arguments
     */
    template <typename R, typename... Args>
    CallbackBase MakeTraceCallback(std::function<R(Args...)> function);

    void Schedule(); //!< Schedule the next call
    void Call();     //!< Call the function and schedule the next call

    /**
     * @brief Find the objects with the trace source.
     * @return one object, or all objects at the path
     */
    std::vector<Ptr<Object>> FindObjects() const;

    /**
     * @brief Send a number.
     * @param number result of the function
     */
    void SendResult(double number);

    /**
     * @brief Send a container, unless it is null.
     * @param content result of the function
     */
    void SendResult(Ptr<OpenGymDataContainer> content);

    std::string GetKey() const; //!< @return the key of values outside a dict

    Time m_interval;                       //!< Time between two calls
    std::function<void()> m_call;          //!< Function to call at an interval, or null
    EventId m_callEvent;                   //!< The next call
    Ptr<Object> m_object;                  //!< Object with the trace source, or null
    std::string m_path;                    //!< Path of objects with the trace source, or empty
    std::string m_traceSource;             //!< Name of the trace source
    CallbackBase m_callback;               //!< Callback of the trace source
    std::vector<Ptr<Object>> m_listenedTo; //!< Objects to which the callback is connected
};

/// An observation application made from a function.
using CallableObservationApplication = CallableCollector<ObservationApplication>;

/// A reward application made from a function; agents add its results.
using CallableRewardApplication = CallableCollector<RewardApplication>;

extern template class CallableCollector<ObservationApplication>;
extern template class CallableCollector<RewardApplication>;

template <typename Base>
template <typename F>
CallableCollector<Base>::CallableCollector(Time interval, F function)
    : m_interval(interval),
      m_call([this, function]() mutable { SendResult(function()); })
{
    NS_ABORT_MSG_UNLESS(interval.IsStrictlyPositive(),
                        "A function cannot be called every " << interval.As(Time::S)
                                                             << ": give a positive interval");
}

template <typename Base>
template <typename F>
CallableCollector<Base>::CallableCollector(Ptr<Object> object,
                                           const std::string& traceSource,
                                           F function)
    : m_object(object),
      m_traceSource(traceSource),
      m_callback(MakeTraceCallback(std::function(function)))
{
    NS_ABORT_MSG_IF(!object, "The object whose '" << traceSource << "' is to be traced is null");
}

template <typename Base>
template <typename F>
CallableCollector<Base>::CallableCollector(const std::string& path, F function)
    : m_path(path.substr(0, path.rfind('/'))),
      m_traceSource(path.substr(path.rfind('/') + 1)),
      m_callback(MakeTraceCallback(std::function(function)))
{
    NS_ABORT_MSG_IF(m_path == path,
                    "'" << path << "' is not the path of a trace source: it has no '/'");
}

template <typename Base>
template <typename R, typename... Args>
CallbackBase
CallableCollector<Base>::MakeTraceCallback(std::function<R(Args...)> function)
{
    static_assert(!std::is_void_v<R>, "The function returns what to send: a number or a Ptr");
    return Callback<void, Args...>([this, function](Args... arguments) {
        if (this->IsRunning())
        {
            SendResult(function(arguments...));
        }
    });
}

} // namespace ns3

#endif /* CALLABLE_COLLECTOR_H */
