/** A name beside the end of a curve. */
export interface EndLabel {
  readonly text: string;
  /** Where the curve ends. */
  readonly endY: number;
  /** Place of the curve in the list: gives colour and dashes. */
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
