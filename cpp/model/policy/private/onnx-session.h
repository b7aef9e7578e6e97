// SPDX-License-Identifier: GPL-2.0-only

#ifndef ONNX_SESSION_H
#define ONNX_SESSION_H

#include "policy-fault.h"

#include <cstdint>
#include <memory>
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
 * @brief A network of a file, run by ONNX Runtime on one thread.
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
     * @param path Path of the file.
     * @param input What goes in; floats.
     * @param output What comes out.
     */
    OnnxSession(const std::string& path, OnnxTensor input, OnnxTensor output);
    ~OnnxSession();

    /**
     * Compute; throw PolicyFault when that fails.
     *
     * @param numbers What goes in; as many as the input has.
     * @return what comes out
     */
    std::vector<double> Run(const std::vector<float>& numbers);

  private:
    class Resources;

    OnnxTensor m_input;                     //!< What goes in
    OnnxTensor m_output;                    //!< What comes out
    std::vector<float> m_observation;       //!< The elements of the input
    std::vector<float> m_reals;             //!< The elements of the output when they are floats
    std::vector<int64_t> m_integers;        //!< The elements of the output when they are integers
    std::unique_ptr<Resources> m_resources; //!< What the runtime holds
};

} // namespace ns3

#endif /* ONNX_SESSION_H */
