/** Side of a value axis. */
type AxisSide = 'LEFT' | 'RIGHT';

/** Width next to its numbers: tick, gap and margin. */
const BESIDE_NUMBERS = 19;
const NARROWEST = 76;

/**
 * Widths of the value axes, in CSS pixels. Stacked panels share one time axis, so each side is as wide in all
 * of them as the widest number in any requires. A width only grows, so that curves do not jump.
 */
export class AxisWidths {
  readonly #measure: (text: string) => number;
  readonly #widths = { LEFT: NARROWEST, RIGHT: NARROWEST };

  /** @param measure returns the drawn width of a text */
  constructor(measure: (text: string) => number) {
    this.#measure = measure;
  }

  widthOf(side: AxisSide): number {
    return this.#widths[side];
  }

  /** Widens a side if these numbers require it; returns its width. */
  fit(side: AxisSide, numbers: readonly string[]): number {
    const widest = Math.max(0, ...numbers.map(this.#measure));
    this.#widths[side] = Math.max(this.#widths[side], Math.ceil(widest) + BESIDE_NUMBERS);
    return this.#widths[side];
  }
}

/** Label at the end of a curve. */
export interface EndLabel {
  readonly text: string;
  /** End of the curve. */
  readonly endY: number;
  /** Index of the curve in the list; determines colour and dashes. */
  readonly index: number;
}

/** Placed label. */
interface PlacedLabel extends EndLabel {
  /** Vertical centre. */
  readonly y: number;
}

/** Places labels next to the curve ends without overlaps, from top to bottom in the order of the ends. */
export function spreadLabels(
  labels: readonly EndLabel[],
  { height, top, bottom }: { readonly height: number; readonly top: number; readonly bottom: number },
): readonly PlacedLabel[] {
  const spread: PlacedLabel[] = [];
  let free = top + height / 2;
  for (const label of labels.toSorted((a, b) => a.endY - b.endY)) {
    const y = Math.max(free, label.endY);
    spread.push({ ...label, y });
    free = y + height;
  }
  // Labels below the plot push the others up.
  let limit = bottom - height / 2;
  for (let index = spread.length - 1; index >= 0; index -= 1) {
    const label = spread[index];
    if (label === undefined || label.y <= limit) break;
    spread[index] = { ...label, y: limit };
    limit -= height;
  }
  return spread;
}

/** Shortens a text in the middle: names of one device often share their beginning. */
export function shorten(text: string, room: number, measure: (text: string) => number): string {
  if (measure(text) <= room) return text;
  for (let kept = text.length - 1; kept > 1; kept -= 1) {
    const head = Math.ceil(kept / 2);
    const short = `${text.slice(0, head)}…${text.slice(text.length - (kept - head))}`;
    if (measure(short) <= room) return short;
  }
  return '…';
}
