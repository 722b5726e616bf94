/** Positions of two fingers, in pixels from the left edge of a plot. */
export type Fingers = readonly [number, number];

/** Time range. */
interface Part {
  readonly fromMs: number;
  readonly untilMs: number;
}

// Limits the zoom for fingers that nearly touch, where one pixel would be hours.
const CLOSEST_PX = 16;

/** Returns the time range in which each finger stays on its initial time. */
export function pinch(times: Fingers, fingers: Fingers, width: number): Part {
  const [left, right] = [Math.min(...fingers), Math.max(...fingers)];
  const [fromMs, untilMs] = [Math.min(...times), Math.max(...times)];
  const msPerPixel = (untilMs - fromMs) / Math.max(CLOSEST_PX, right - left);
  const startMs = fromMs - left * msPerPixel;
  return { fromMs: startMs, untilMs: startMs + width * msPerPixel };
}
