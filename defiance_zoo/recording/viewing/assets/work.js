// SPDX-License-Identifier: GPL-2.0-only
// How much was drawn, which tests hold against limits: numbers of work, not of time.

export const work = { renders: 0, points: 0, dots: 0, elements: 0 };
