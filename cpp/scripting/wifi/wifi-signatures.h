// SPDX-License-Identifier: GPL-2.0-only

#ifndef WIFI_SIGNATURES_H
#define WIFI_SIGNATURES_H

#include "trace-signatures.h"

namespace ns3
{

/** @return adapters for the signatures of the module wifi */
TraceAdapters MakeWifiAdapters();

} // namespace ns3

#endif /* WIFI_SIGNATURES_H */
