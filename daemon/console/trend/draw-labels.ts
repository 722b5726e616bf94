import { shorten, spreadLabels } from './labels.ts';
import type { EndLabel } from './labels.ts';
import { DASHES } from './trend-look.ts';
import type { TrendLook } from './trend-look.ts';

/** Font of what is written on a plot. */
export const LABEL_FONT = '12px system-ui, sans-serif';

const LABEL_HEIGHT = 16;
/** From the end of a curve to its label, in the look of the curve. */
const LEADER_WIDTH = 18;
const LABEL_SPACE = 4;
// The curves have the better part of a narrow screen.
const WIDEST_PART = 1 / 4;

/** Returns how wide a text on a plot is, in pixels of the page. */
export function measureLabel(text: string): number {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return 0;
  context.font = LABEL_FONT;
  return context.measureText(text).width;
}

/** Returns how wide the room for labels on the right of a plot is, of all its width; in pixels of the page. */
export function measureGutter(labels: readonly string[], width: number): number {
  const widest = Math.max(0, ...labels.map(measureLabel));
  return Math.ceil(Math.min(LEADER_WIDTH + widest + 2 * LABEL_SPACE, width * WIDEST_PART));
}

interface LabelOptions {
  /** The part of the canvas that has the curves, in its pixels. */
  readonly box: {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
  };
  readonly look: TrendLook;
  readonly ratio: number;
  readonly gutter: number;
}

/**
 * Writes the names of curves on the right of their ends.
 *
 * They have the colour of texts, since that of a curve need not stand out as much; the line to them is the curve's.
 */
export function drawLabels(
  context: CanvasRenderingContext2D,
  labels: readonly EndLabel[],
  { box, look, ratio, gutter }: LabelOptions,
): void {
  const right = box.left + box.width;
  const room = (gutter - LEADER_WIDTH - LABEL_SPACE) * ratio;
  const bounds = { height: LABEL_HEIGHT * ratio, top: box.top, bottom: box.top + box.height };
  context.save();
  context.font = LABEL_FONT.replace('12px', `${12 * ratio}px`);
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.fillStyle = look.text;
  context.lineWidth = 1.5 * ratio;
  for (const { text, endY, y, index } of spreadLabels(labels, bounds)) {
    context.strokeStyle = look.curves[index] ?? look.text;
    context.setLineDash((DASHES[index] ?? []).map((length) => length * ratio));
    context.beginPath();
    context.moveTo(right + ratio, endY);
    context.lineTo(right + (LEADER_WIDTH - LABEL_SPACE) * ratio, y);
    context.stroke();
    const short = shorten(text, room, (each) => context.measureText(each).width);
    context.fillText(short, right + LEADER_WIDTH * ratio, y);
  }
  context.restore();
}
