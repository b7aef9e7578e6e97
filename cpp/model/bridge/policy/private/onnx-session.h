// SPDX-License-Identifier: GPL-2.0-only

#ifndef ONNX_SESSION_H
#define ONNX_SESSION_H

#include "onnx-network.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
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
    bool isInteger;             //!< Whether elements are int64_t, rather than float
    std::vector<int64_t> shape; //!< Lengths of the axes, the first of which is 1
    std::size_t size;           //!< Number of elements
};

/**
 * Load ONNX Runtime if DEFIANCE_ONNXRUNTIME names it, for all forks of this process. If the runtime
 * has no threads, which a fork would lack, run a network, too: most of the cost of the first run is
 * then paid once. On a failure, the first session reports the reason.
 *
 * @param isAlone Returns whether the calling process has one thread, as this one has.
 */
void PrepareOnnxRuntime(bool (*isAlone)());

/**
 * @brief A network, run by ONNX Runtime on one thread.
 *
 * Its shared library is loaded at run time, from DEFIANCE_ONNXRUNTIME or the system's path:
 * programs without policy files do not need it.
 */
class OnnxSession
{
  public:
    /**
     * Load the runtime and the network; throw PolicyFault on a failure.
     *
     * @param model Content of a file that CheckOnnxModel() accepts.
     * @param inputs The inputs, in the order of Run(); floats.
     * @param outputs The outputs.
     */
    OnnxSession(std::span<const char> model,
                std::vector<OnnxTensor> inputs,
                std::vector<OnnxTensor> outputs);
    ~OnnxSession();

    OnnxSession(const OnnxSession&) = delete;
    OnnxSession& operator=(const OnnxSession&) = delete;

    /**
     * Run the network; throw PolicyFault on a failure.
     *
     * @param numbers Values of each input, in the input's size.
     */
    void Run(std::initializer_list<std::span<const float>> numbers);

    /**
     * @param output Number of an output, in the order of the constructor.
     * @return the elements of the output after the last Run()
     */
    std::vector<double> GetNumbers(std::size_t output) const;

  private:
    /** The inputs, or the outputs. */
    struct Side
    {
        std::vector<OnnxTensor> tensors;              //!< Types and shapes
        std::vector<const char*> names;               //!< Names of the tensors
        std::vector<std::vector<std::byte>> elements; //!< Elements of each: float or int64_t
        std::vector<void*> values; //!< Tensors of the runtime, which refer to the elements
    };

    /**
     * Load the runtime; throw PolicyFault on a failure.
     *
     * @param inputs The inputs.
     * @param outputs The outputs.
     */
    OnnxSession(std::vector<OnnxTensor> inputs, std::vector<OnnxTensor> outputs);

    /**
     * @param side The inputs or outputs, of which only the tensors are known.
     */
    void MakeValues(Side& side);

    Side m_inputs;            //!< The inputs
    Side m_outputs;           //!< The outputs
    void* m_options{nullptr}; //!< Options of the session
    void* m_session{nullptr}; //!< The network
    void* m_memory{nullptr};  //!< Description of main memory
};

} // namespace ns3

#endif /* ONNX_SESSION_H */
