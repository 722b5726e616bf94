/** A text at the end of a curve. */
export interface EndLabel {
  readonly text: string;
  readonly y: number;
  readonly colour: string;
}

/** Moves labels apart so that none covers another, in the order of their curves from top to bottom. */
export function spreadLabels(
  labels: readonly EndLabel[],
  { height, top, bottom }: { readonly height: number; readonly top: number; readonly bottom: number },
): readonly EndLabel[] {
  const spread: EndLabel[] = [];
  let free = top + height;
  for (const label of labels.toSorted((a, b) => a.y - b.y)) {
    const y = Math.max(free, label.y);
    spread.push({ ...label, y });
    free = y + height;
  }
  // What came out below the plot pushes the others up again.
  let limit = bottom;
  for (let index = spread.length - 1; index >= 0; index -= 1) {
    const label = spread[index];
    if (label === undefined || label.y <= limit) break;
    spread[index] = { ...label, y: limit };
    limit -= height;
  }
  return spread;
}
