// SPDX-License-Identifier: GPL-2.0-only

#ifndef RL_SIMULATION_H
#define RL_SIMULATION_H

#include "ns3/nstime.h"
#include "ns3/rl-parameter.h"
#include "ns3/rl-per-agent.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Run control of a scenario program: parameters, endpoint, built-in policy, orderly end.
 *
 * Beside the scenario's own parameters the command line has
 * - `--endpoint`, `--token`, `--rounds`: the Python process to connect to (or the environment
 *   variables DEFIANCE_ENDPOINT, DEFIANCE_TOKEN and DEFIANCE_ROUNDS),
 * - `--policy=random|constant` and `--action=<number>`: the policy without an endpoint,
 * - `--policy=<file>.onnx` or `--policy=<agent>=<file>.onnx,...`: an exported policy,
 * - `--describe`: write a defiance.v1.ScenarioDescription to standard output and exit.
 */
class RlSimulation
{
  public:
    /**
     * @param name Name of the scenario.
     */
    explicit RlSimulation(std::string name);
    ~RlSimulation();

    // The scenario's variables are bound to one object.
    RlSimulation(const RlSimulation&) = delete;
    RlSimulation& operator=(const RlSimulation&) = delete;

    /**
     * Declare a parameter.
     *
     * @tparam T bool, an integer, float, double, std::string, Time or DataRate.
     * @param name Name in lower_snake_case.
     * @param help Meaning of the parameter.
     * @param value Variable that holds the default now and the value after Parse().
     */
    template <typename T>
    void AddValue(const std::string& name, const std::string& help, T& value);

    /**
     * Declare a parameter with a range.
     *
     * @tparam T An integer, float, double, Time or DataRate.
     * @param name Name in lower_snake_case.
     * @param help Meaning of the parameter.
     * @param value Variable that holds the default now and the value after Parse().
     * @param min Least allowed value.
     * @param max Largest allowed value.
     */
    template <typename T>
    void AddValue(const std::string& name,
                  const std::string& help,
                  T& value,
                  const std::type_identity_t<T>& min,
                  const std::type_identity_t<T>& max);

    /**
     * Declare a parameter with a few allowed words.
     *
     * @param name Name in lower_snake_case.
     * @param help Meaning of the parameter.
     * @param value Variable that holds the default now and the value after Parse().
     * @param choices The allowed values.
     */
    void AddChoice(const std::string& name,
                   const std::string& help,
                   std::string& value,
                   std::vector<std::string> choices);

    /**
     * Declare a parameter with a value for all agents, or one for each:
     * `--workers=agent_0=1,agent_1=4`, a dict in Python. Agents that are not named keep the
     * default.
     *
     * @tparam T bool, an integer, float, double, std::string, Time or DataRate.
     * @param name Name in lower_snake_case.
     * @param help Meaning of the parameter.
     * @param value Variable that holds the default now and the values after Parse().
     * @param min Least allowed value.
     * @param max Largest allowed value.
     */
    template <typename T>
    void AddValuePerAgent(const std::string& name,
                          const std::string& help,
                          PerAgent<T>& value,
                          const std::type_identity_t<T>& min,
                          const std::type_identity_t<T>& max);

    /**
     * Declare a parameter with a few allowed words for all agents, or for each.
     *
     * @param name Name in lower_snake_case.
     * @param help Meaning of the parameter.
     * @param value Variable that holds the default now and the values after Parse().
     * @param choices The allowed values.
     */
    void AddChoicePerAgent(const std::string& name,
                           const std::string& help,
                           PerAgent<std::string>& value,
                           std::vector<std::string> choices);

    /**
     * Build a network once before Parse() forks episodes from this process, and destroy it again:
     * this does ns-3's one-time work for its models. Episodes are the same as in a new process if
     * the function neither runs the simulator nor sets defaults.
     *
     * @param build Builds a network similar to the episodes'.
     */
    void AddWarmUp(std::function<void()> build);

    /**
     * Read the command line. A value that is not allowed ends the process through Refuse().
     *
     * @param argc Number of arguments.
     * @param argv The arguments.
     */
    void Parse(int argc, char* argv[])
    {
        Parse({argv, argv + argc});
    }

    /**
     * Read a command line, as Parse(argc, argv).
     *
     * @param arguments The name of the program, and the arguments.
     */
    void Parse(std::vector<std::string> arguments);

    /**
     * Report contradictory parameters, to Python and on standard error, and end the process with
     * exit status 2.
     *
     * @param message The fault and the remedy.
     */
    [[noreturn]] void Refuse(const std::string& message);

    /**
     * Report an error in the scenario's code, to Python and on standard error, and end the process
     * with exit status 1. Python raises ScenarioError.
     *
     * @param message The error, such as an exception and its origin.
     */
    [[noreturn]] static void Fail(const std::string& message);

    /**
     * End a simulation without Python whose time stands still.
     *
     * @param locate Returns the traceback line of the function to be called now.
     */
    static void RequireProgress(const std::function<std::string()>& locate);

    /**
     * Report that this process cannot have hosts with real programs, to Python and on standard
     * error, and end the process with exit status 1. Python raises HostsUnavailable.
     *
     * @param message The missing right or program.
     */
    [[noreturn]] static void FailWithoutHosts(const std::string& message);

    /**
     * Warn the author of the scenario: in Python by DeadWiringWarning, with the next message that
     * can carry warnings, the first or the last of an episode; without Python on standard error.
     *
     * @param message The fault and the remedy.
     */
    static void Warn(const std::string& message);

    /**
     * @return whether the episode is recorded, to skip texts for NoteEvent() otherwise
     */
    static bool IsRecorded();

    /**
     * Record an event in the recording of the episode, if there is one.
     *
     * @param kind The event in a word: "handover".
     * @param text Further text: "user 3 from cell 0 to cell 1".
     * @param agent Name of the event's agent or application; empty: none.
     */
    static void NoteEvent(const std::string& kind,
                          const std::string& text,
                          const std::string& agent = {});

    /**
     * Run the episode: events up to and including the given instant, then the end of each agent
     * that has not ended, then Simulator::Destroy().
     *
     * @param duration Largest simulated time; Time::Max(): no limit.
     * @return the exit status of the program
     */
    int Run(Time duration);

  private:
    /**
     * At the end of an episode, fail if all agents lacked a connection and none decided, and warn
     * about other agents that lacked a connection.
     */
    static void ReportDeadWiring();

    /**
     * @param parameter The parameter to declare.
     */
    void Add(std::unique_ptr<RlParameter> parameter);

    /**
     * @param arguments The name of the program, and the arguments.
     * @return the given values, by name
     */
    std::map<std::string, std::string> ReadArguments(
        const std::vector<std::string>& arguments) const;

    /**
     * Set the scenario's variables; reject a value that is not allowed.
     *
     * @param given Arguments by name.
     */
    void SetParameters(const std::map<std::string, std::string>& given);

    /** Write the description of this scenario to standard output and exit. */
    [[noreturn]] void Describe() const;

    /** Store the values of parameters, for the first message. */
    void DeclareParameters() const;

    /** Write a summary of each agent to standard output. */
    void PrintSummary() const;

    std::string m_name;                                     //!< Name of the scenario
    std::vector<std::unique_ptr<RlParameter>> m_parameters; //!< Parameters as declared
    std::vector<std::function<void()>> m_warmUps; //!< The objects to build before episodes
    bool m_parsed{false};                         //!< Whether Parse() has been called
};

template <typename T>
void
RlSimulation::AddValue(const std::string& name, const std::string& help, T& value)
{
    Add(std::make_unique<RlVariable<T>>(name, help, value));
}

template <typename T>
void
RlSimulation::AddValue(const std::string& name,
                       const std::string& help,
                       T& value,
                       const std::type_identity_t<T>& min,
                       const std::type_identity_t<T>& max)
{
    const RlAllowed<T> allowed{std::pair<T, T>(min, max), {}};
    Add(std::make_unique<RlVariable<T>>(name, help, value, allowed));
}

template <typename T>
void
RlSimulation::AddValuePerAgent(const std::string& name,
                               const std::string& help,
                               PerAgent<T>& value,
                               const std::type_identity_t<T>& min,
                               const std::type_identity_t<T>& max)
{
    const RlAllowed<T> allowed{std::pair<T, T>(min, max), {}};
    Add(std::make_unique<RlPerAgentVariable<T>>(name, help, value, allowed));
}

/**
 * @ingroup defiance
 *
 * Warn of a time or data rate without a unit, once per text and place: in Python by
 * MissingUnitWarning, and otherwise as RlSimulation::Warn() does.
 *
 * @param before Words before the text, such as the name of a parameter.
 * @param text A valid time or data rate; 0 needs no unit.
 * @param isTime Whether the text is a time.
 * @param after Words after the warning, such as the line of the text.
 */
void WarnOfMissingUnit(const std::string& before,
                       const std::string& text,
                       bool isTime,
                       const std::string& after = "");

} // namespace ns3

#endif /* RL_SIMULATION_H */
