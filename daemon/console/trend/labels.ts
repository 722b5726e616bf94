/** Side of a value axis. */
type AxisSide = 'LEFT' | 'RIGHT';

/** Width next to its numbers: tick, gap and margin. */
const BESIDE_NUMBERS = 19;
const NARROWEST = 76;
// On a phone, the curves have little room.
const NARROWEST_ON_PHONE = 44;
const PHONE_WIDTH = 480;

/**
 * Widths of the value axes, in CSS pixels. Stacked panels share one time axis, so each side is as wide in all
 * of them as the widest number in any requires. A width only grows, so that curves do not jump.
 */
export class AxisWidths {
  readonly #measure: (text: string) => number;
  readonly #widths: Record<AxisSide, number>;

  /**
   * @param measure returns the drawn width of a text
   * @param width that of the panels
   */
  constructor(measure: (text: string) => number, width: number) {
    this.#measure = measure;
    const narrowest = width < PHONE_WIDTH ? NARROWEST_ON_PHONE : NARROWEST;
    this.#widths = { LEFT: narrowest, RIGHT: narrowest };
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

/** Returns as much of the curves and the cause of a gap as fits: the cause first, which is shortened if it is too long. */
export function fitCause(
  { cause, labels }: { readonly cause: string; readonly labels: readonly string[] },
  fits: (text: string) => boolean,
): string {
  const words = [...(labels.length === 0 ? [] : [`${labels.join(', ')}: ${cause}`]), cause].find(fits);
  if (words !== undefined) return words;
  for (let length = cause.length - 1; length > 4; length -= 1) {
    const shorter = `${cause.slice(0, length).trimEnd()}…`;
    if (fits(shorter)) return shorter;
  }
  return '';
}
