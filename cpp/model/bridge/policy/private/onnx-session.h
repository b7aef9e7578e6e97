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
 * @brief What goes into a network, or comes out of it.
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
     * @param model Path of a file, beside which weights may stand in files of their own.
     * @param inputs What goes in, in the order of Run(); floats.
     * @param output What comes out.
     */
    OnnxSession(const std::filesystem::path& model,
                std::vector<OnnxTensor> inputs,
                OnnxTensor output);

    /**
     * Load the runtime and the network; throw PolicyFault when either cannot be.
     *
     * @param model The bytes of a file that holds all of its weights.
     * @param inputs What goes in, in the order of Run(); floats.
     * @param output What comes out.
     */
    OnnxSession(std::span<const char> model, std::vector<OnnxTensor> inputs, OnnxTensor output);
    ~OnnxSession();

    /**
     * Compute; throw PolicyFault when that fails.
     *
     * @param numbers What goes into each input; as many as it has.
     * @return what comes out
     */
    std::vector<double> Run(std::initializer_list<std::span<const float>> numbers);

  private:
    class Resources;

    /**
     * @param inputs What goes in.
     * @param output What comes out.
     */
    OnnxSession(std::vector<OnnxTensor> inputs, OnnxTensor output);

    /** Make the tensors, once the network is loaded. */
    void MakeTensors();

    std::vector<OnnxTensor> m_inputs;       //!< What goes in
    std::vector<const char*> m_names;       //!< Their names
    OnnxTensor m_output;                    //!< What comes out
    std::vector<std::vector<float>> m_in;   //!< The elements of each input
    std::vector<float> m_reals;             //!< The elements of the output when they are floats
    std::vector<int64_t> m_integers;        //!< The elements of the output when they are integers
    std::unique_ptr<Resources> m_resources; //!< What the runtime holds
};

} // namespace ns3

#endif /* ONNX_SESSION_H */
