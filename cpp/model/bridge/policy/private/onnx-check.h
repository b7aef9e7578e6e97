// SPDX-License-Identifier: GPL-2.0-only

#ifndef ONNX_CHECK_H
#define ONNX_CHECK_H

#include <stdexcept>
#include <string_view>

namespace ns3
{

/**
 * @brief An unusable policy file; the message has the reason and the remedy.
 */
class PolicyFault : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/**
 * Throw PolicyFault unless ONNX Runtime can load the content of a file, and decide with it, in a
 * few seconds and within 1 GB: all operators are known, all sizes are fixed, and their sums have
 * limits. The simulation and Python call this function before the runtime reads a file.
 *
 * The sizes hold for a batch of one.
 *
 * @param model Content of the file.
 */
void CheckOnnxModel(std::string_view model);

} // namespace ns3

#endif /* ONNX_CHECK_H */
