/** Side of the curves on which an axis of values is. */
type AxisSide = 'LEFT' | 'RIGHT';

/** Room beside its numbers: a tick, the gap to it, and the edge of the picture. */
const BESIDE_NUMBERS = 19;
const NARROWEST = 76;

/**
 * Widths of the axes of values, in pixels of the page. Panels below each other have one axis of time, so each side is as wide in all
 * of them as the widest number needs in one; it becomes wider and never narrower, so that curves do not jump.
 */
export class AxisWidths {
  readonly #measure: (text: string) => number;
  readonly #widths = { LEFT: NARROWEST, RIGHT: NARROWEST };

  /** @param measure returns the width of a text as it is drawn */
  constructor(measure: (text: string) => number) {
    this.#measure = measure;
  }

  widthOf(side: AxisSide): number {
    return this.#widths[side];
  }

  /** Widens a side where these numbers need it; returns its width. */
  fit(side: AxisSide, numbers: readonly string[]): number {
    const widest = Math.max(0, ...numbers.map(this.#measure));
    this.#widths[side] = Math.max(this.#widths[side], Math.ceil(widest) + BESIDE_NUMBERS);
    return this.#widths[side];
  }
}

/** A name beside the end of a curve. */
export interface EndLabel {
  readonly text: string;
  /** Where the curve ends. */
  readonly endY: number;
  /** Index of the curve in the list; determines colour and dashes. */
  readonly index: number;
}

/** A name where it is written. */
interface PlacedLabel extends EndLabel {
  /** Its middle. */
  readonly y: number;
}

/** Places labels beside the ends of their curves, apart so that none covers another, from top to bottom in the order of the ends. */
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
  // What came out below the plot pushes the others up again.
  let limit = bottom - height / 2;
  for (let index = spread.length - 1; index >= 0; index -= 1) {
    const label = spread[index];
    if (label === undefined || label.y <= limit) break;
    spread[index] = { ...label, y: limit };
    limit -= height;
  }
  return spread;
}

/** Takes as much out of the middle of a text as is needed for its room; names of one device often begin alike. */
export function shorten(text: string, room: number, measure: (text: string) => number): string {
  if (measure(text) <= room) return text;
  for (let kept = text.length - 1; kept > 1; kept -= 1) {
    const head = Math.ceil(kept / 2);
    const short = `${text.slice(0, head)}…${text.slice(text.length - (kept - head))}`;
    if (measure(short) <= room) return short;
  }
  return '…';
}
