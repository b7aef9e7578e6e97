// SPDX-License-Identifier: GPL-2.0-only

#ifndef ONNX_SESSION_H
#define ONNX_SESSION_H

#include "policy-fault.h"

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief An input or an output of a network.
 */
struct OnnxTensor
{
    std::string name;           //!< Name in the file
    bool isInteger;             //!< Whether its elements are int64_t, rather than float
    std::vector<int64_t> shape; //!< Lengths of the axes, of which the first is 1
    std::size_t size;           //!< Number of elements
};

/**
 * Load ONNX Runtime if DEFIANCE_ONNXRUNTIME names it, so that forks of this process have it. If it
 * has no threads, which a fork would not have, it runs a network, too: most of what the first one
 * takes is made for all. Where anything fails, the first session says why.
 *
 * @param isAlone Whether the process that calls it has one thread, as this one has.
 */
void PrepareOnnxRuntime(bool (*isAlone)());

/**
 * @brief A network, run by ONNX Runtime on one thread.
 *
 * Its shared library is loaded at run time, from where DEFIANCE_ONNXRUNTIME says or where the
 * system finds it: who runs no policy file needs none.
 */
class OnnxSession
{
  public:
    /**
     * Load the runtime and the network; throw PolicyFault when either cannot be.
     *
     * @param model Path of a file, beside which weights may be in separate files.
     * @param inputs The inputs, in the order of Run(); floats.
     * @param outputs The outputs.
     */
    OnnxSession(const std::filesystem::path& model,
                std::vector<OnnxTensor> inputs,
                std::vector<OnnxTensor> outputs);

    /**
     * Load the runtime and the network; throw PolicyFault when either cannot be.
     *
     * @param model The bytes of a file that holds all of its weights.
     * @param inputs The inputs, in the order of Run(); floats.
     * @param outputs The outputs.
     */
    OnnxSession(std::span<const char> model,
                std::vector<OnnxTensor> inputs,
                std::vector<OnnxTensor> outputs);
    ~OnnxSession();

    /**
     * Compute; throw PolicyFault when that fails.
     *
     * @param numbers The values of each input; as many as it has.
     */
    void Run(std::initializer_list<std::span<const float>> numbers);

    /**
     * @param output Number of an output, in the order of the constructor.
     * @return its elements after the last Run()
     */
    std::vector<double> GetNumbers(std::size_t output) const;

  private:
    class Resources;

    /** An output: its elements are in one of the vectors. */
    struct Output
    {
        OnnxTensor tensor;             //!< The outputs
        std::vector<float> reals;      //!< The elements when they are floats
        std::vector<int64_t> integers; //!< The elements when they are integers
    };

    /**
     * @param inputs The inputs.
     * @param outputs The outputs.
     */
    OnnxSession(std::vector<OnnxTensor> inputs, std::vector<OnnxTensor> outputs);

    /** Make the tensors, once the network is loaded. */
    void MakeTensors();

    std::vector<OnnxTensor> m_inputs;       //!< The inputs
    std::vector<const char*> m_inputNames;  //!< Names of the inputs
    std::vector<std::vector<float>> m_in;   //!< The elements of each input
    std::vector<Output> m_outputs;          //!< The outputs
    std::vector<const char*> m_outputNames; //!< Names of the outputs
    std::unique_ptr<Resources> m_resources; //!< The objects of the runtime
};

} // namespace ns3

#endif /* ONNX_SESSION_H */
