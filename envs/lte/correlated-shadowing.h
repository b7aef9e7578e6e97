// SPDX-License-Identifier: GPL-2.0-only

#ifndef CORRELATED_SHADOWING_H
#define CORRELATED_SHADOWING_H

#include "ns3/mobility-model.h"
#include "ns3/propagation-loss-model.h"

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>

namespace ns3
{

/**
 * @brief Shadowing of signals from cells, which changes with a user's position, but not with time.
 *
 * For each cell it is a sum of waves of random direction and phase over the plane (Cai and
 * Giannakis, 2003): normal in dB, and almost uncorrelated at a few multiples of its distance.
 * Signals between two nodes that are not cells have no shadowing.
 */
class CorrelatedShadowing : public PropagationLossModel
{
  public:
    /**
     * Draw the shadowing of a cell.
     *
     * @param cell Position of the cell.
     * @param deviation Standard deviation in dB.
     * @param distance Distance of its changes, in m.
     * @param stream Random stream to use.
     */
    void AddCell(Ptr<MobilityModel> cell, double deviation, double distance, int64_t stream);

  protected:
    void DoDispose() override;

  private:
    static constexpr std::size_t WAVES = 32; //!< Waves in a sum close to normal

    /// A wave over the plane.
    struct Wave
    {
        double x;     //!< Radians per metre along x
        double y;     //!< Radians per metre along y
        double phase; //!< Phase in radians
    };

    /// Shadowing of a cell.
    struct Field
    {
        double amplitude;              //!< Amplitude of each wave, in dB
        std::array<Wave, WAVES> waves; //!< Waves of the same amplitude
    };

    /// Loss at the last position of a user.
    struct Loss
    {
        Vector position; //!< Position of the last loss
        double loss;     //!< Loss at the position, in dB
    };

    /// A cell's shadowing, and its known values.
    struct Cell
    {
        Field field;                                   //!< Shadowing of the cell
        std::unordered_map<const void*, Loss> known{}; //!< Last loss of each user
    };

    double DoCalcRxPower(double power, Ptr<MobilityModel> a, Ptr<MobilityModel> b) const override;
    int64_t DoAssignStreams(int64_t stream) override;

    /**
     * @param field Field of a cell.
     * @param position Position of a user.
     * @return the loss in dB
     */
    static double GetLoss(const Field& field, const Vector& position);

    mutable std::map<Ptr<MobilityModel>, Cell> m_cells; //!< Cells by mobility model
};

} // namespace ns3

#endif // CORRELATED_SHADOWING_H
