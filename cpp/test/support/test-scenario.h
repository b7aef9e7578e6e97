// SPDX-License-Identifier: GPL-2.0-only

#ifndef TEST_SCENARIO_H
#define TEST_SCENARIO_H

#include "ns3/opengym-data-container.h"

#include <string>

/** An agent that decides every millisecond from 0 on and observes the number of its last action. */
class Ticker
{
  public:
    /** Introduce the agent. */
    Ticker();

  private:
    /** Request a decision. */
    void Tick();

    /** @param action A number to print and to remember. */
    void Act(ns3::Ptr<ns3::OpenGymDataContainer> action);

    int64_t m_last{0}; //!< The last action
};

/**
 * A program that takes a parameter of each type, prints them and lets a Ticker run for 3 ms.
 *
 * @param argc Number of arguments.
 * @param argv The arguments.
 * @return its exit status
 */
int RunTestScenario(int argc, char** argv);

/**
 * @param text A text.
 * @param line An expected line.
 * @return whether the text has the line
 */
bool HasLine(const std::string& text, const std::string& line);

#endif /* TEST_SCENARIO_H */
