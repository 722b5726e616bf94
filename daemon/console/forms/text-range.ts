/** Range of a text. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** Returns the first line of a range: errors are marked at their start. */
export function toFirstLine(text: string, from: number, to: number = text.length): TextRange {
  const end = text.indexOf('\n', from);
  return { from, to: Math.min(to, end < 0 ? text.length : end) };
}
