import { fitCause } from './labels.ts';
import type { TrendLook } from './trend-look.ts';
import type { ShownGap } from './trend-panel.ts';

/** Plotting area on its canvas, in device pixels. */
interface PlotBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface HatchOptions {
  readonly box: PlotBox;
  readonly look: TrendLook;
  readonly ratio: number;
  readonly toX: (ms: number) => number;
}

const STRIPE = 8;

/** Hatches times without known values, with the cause if it fits. */
export function drawGaps(
  context: CanvasRenderingContext2D,
  gaps: readonly ShownGap[],
  { box, look, ratio, toX }: HatchOptions,
): void {
  for (const [index, { fromMs, untilMs, cause, labels }] of gaps.entries()) {
    const left = Math.max(box.left, toX(fromMs));
    const right = Math.min(box.left + box.width, untilMs === undefined ? Infinity : toX(untilMs));
    if (right <= box.left || left >= box.left + box.width) continue;
    const width = Math.max(ratio, right - left);
    context.save();
    context.beginPath();
    context.rect(left, box.top, width, box.height);
    context.clip();
    context.strokeStyle = look.hairline;
    context.lineWidth = ratio;
    context.beginPath();
    const step = STRIPE * ratio;
    // One pattern for all gaps, so that it does not move with time.
    const first = Math.floor((left - box.height) / step) * step;
    for (let x = first; x < left + width; x += step) {
      context.moveTo(x, box.top + box.height);
      context.lineTo(x + box.height, box.top);
    }
    context.stroke();
    const y = box.top + (16 + 16 * (index % 3)) * ratio;
    writeCause(context, { cause, labels }, { left, width, y, look, ratio });
    context.restore();
  }
}

interface CauseLayout {
  readonly left: number;
  readonly width: number;
  readonly y: number;
  readonly look: TrendLook;
  readonly ratio: number;
}

function writeCause(
  context: CanvasRenderingContext2D,
  gap: Pick<ShownGap, 'cause' | 'labels'>,
  { left, width, y, look, ratio }: CauseLayout,
): void {
  context.font = `${12 * ratio}px system-ui, sans-serif`;
  const room = width - 12 * ratio;
  const shown = fitCause(gap, (text) => context.measureText(text).width <= room);
  if (shown === '') return;
  context.fillStyle = look.surface;
  const textWidth = context.measureText(shown).width;
  context.fillRect(left + 3 * ratio, y - 12 * ratio, textWidth + 6 * ratio, 16 * ratio);
  context.fillStyle = look.soft;
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  context.fillText(shown, left + 6 * ratio, y);
}
