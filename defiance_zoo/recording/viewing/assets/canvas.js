// SPDX-License-Identifier: GPL-2.0-only
// Canvases that are as sharp as the screen.

/** Clear a canvas, give it the size that it has on the page, and return its context. */
export function fitCanvas(canvas) {
  const scale = globalThis.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (width === 0 || height === 0) return null; // it is not on the page, or hidden
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  return context;
}
