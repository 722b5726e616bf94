import { shorten, spreadLabels } from './labels.ts';
import type { EndLabel } from './labels.ts';
import { DASHES } from './trend-look.ts';
import type { TrendLook } from './trend-look.ts';

/** Font of labels on a plot. */
export const LABEL_FONT = '12px system-ui, sans-serif';

const LABEL_HEIGHT = 16;
/** Line from the end of a curve to its label, in the curve's style. */
const LEADER_WIDTH = 18;
const LABEL_SPACE = 4;
// On a narrow screen, the curves take most of the width.
const WIDEST_PART = 1 / 4;

/** Returns the width of a text on a plot, in CSS pixels. */
export function measureLabel(text: string): number {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return 0;
  context.font = LABEL_FONT;
  return context.measureText(text).width;
}

/** Returns the width reserved for labels on the right of a plot, in CSS pixels. */
export function measureGutter(labels: readonly string[], width: number): number {
  const widest = Math.max(0, ...labels.map(measureLabel));
  return Math.ceil(Math.min(LEADER_WIDTH + widest + 2 * LABEL_SPACE, width * WIDEST_PART));
}

interface LabelOptions {
  /** Plotting area of the canvas, in canvas pixels. */
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
 * Draws the names of curves to the right of their ends.
 *
 * Labels have the text colour, because curve colours have less contrast; the connecting line has the curve's colour.
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
