// SPDX-License-Identifier: GPL-2.0-only

#ifndef CHILD_SIGNAL_H
#define CHILD_SIGNAL_H

#include <csignal>

namespace ns3
{

/**
 * @brief Lets the end of a child process interrupt one system call, only on request.
 */
class ChildSignal
{
  public:
    ChildSignal()
    {
        struct sigaction action
        {
        };

        action.sa_handler = [](int) {};
        sigaction(SIGCHLD, &action, &m_action);
        sigset_t blocked;
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGCHLD);
        pthread_sigmask(SIG_BLOCK, &blocked, &m_mask);
    }

    /** Restore the previous state. */
    ~ChildSignal()
    {
        sigaction(SIGCHLD, &m_action, nullptr);
        pthread_sigmask(SIG_SETMASK, &m_mask, nullptr);
    }

    ChildSignal(const ChildSignal&) = delete;
    ChildSignal& operator=(const ChildSignal&) = delete;

  private:
    struct sigaction m_action
    {
    }; //!< The previous action at the signal

    sigset_t m_mask{}; //!< Signals blocked before
};

} // namespace ns3

#endif /* CHILD_SIGNAL_H */
