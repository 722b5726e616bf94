/** Where two fingers are, in pixels from the left edge of a plot. */
export type Fingers = readonly [number, number];

/** A part of time. */
interface Part {
  readonly fromMs: number;
  readonly untilMs: number;
}

// Closer than two fingers can be, a pixel would be hours.
const CLOSEST_PX = 16;

/** Returns the part of time that has each finger on the time that it was put on. */
export function pinch(times: Fingers, fingers: Fingers, width: number): Part {
  const [left, right] = [Math.min(...fingers), Math.max(...fingers)];
  const [fromMs, untilMs] = [Math.min(...times), Math.max(...times)];
  const msPerPixel = (untilMs - fromMs) / Math.max(CLOSEST_PX, right - left);
  const startMs = fromMs - left * msPerPixel;
  return { fromMs: startMs, untilMs: startMs + width * msPerPixel };
}
