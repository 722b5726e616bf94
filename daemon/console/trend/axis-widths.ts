/** Side of the curves on which an axis of values is. */
export type AxisSide = 'LEFT' | 'RIGHT';

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
