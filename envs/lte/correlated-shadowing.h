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
 * @brief Shadowing of signals from cells, which changes where a user goes, and not with time.
 *
 * For each cell it is a sum of waves of random direction and phase over the plane (Cai and
 * Giannakis, 2003): normal in dB, as good as uncorrelated at some multiples of the distance in
 * which it changes. Where neither end is a cell, there is none.
 */
class CorrelatedShadowing : public PropagationLossModel
{
  public:
    /**
     * Draw the shadowing of a cell.
     *
     * @param cell Where it is.
     * @param deviation Standard deviation in dB.
     * @param distance In which it changes, in m.
     * @param stream Random stream to use.
     */
    void AddCell(Ptr<MobilityModel> cell, double deviation, double distance, int64_t stream);

  protected:
    void DoDispose() override;

  private:
    static constexpr std::size_t WAVES = 32; //!< Whose sum is close to normal

    /// A wave over the plane.
    struct Wave
    {
        double x;     //!< Radians in a metre along x
        double y;     //!< Radians in a metre along y
        double phase; //!< In radians
    };

    /// Shadowing of a cell.
    struct Field
    {
        double amplitude;              //!< Of each wave, in dB
        std::array<Wave, WAVES> waves; //!< All of the same amplitude
    };

    /// Loss at the last position of a user.
    struct Loss
    {
        Vector position; //!< Where the user was
        double loss;     //!< In dB
    };

    /// A cell's shadowing, and what is known of it.
    struct Cell
    {
        Field field;                                   //!< Its shadowing
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

    mutable std::map<Ptr<MobilityModel>, Cell> m_cells; //!< By where they are
};

} // namespace ns3

#endif // CORRELATED_SHADOWING_H
