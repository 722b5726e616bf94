import type { JSX } from 'preact';

interface AlignedNumberProps {
  /** Formatted number, possibly in brackets, or its substitute. */
  readonly text: string;
  /** Displayed decimals; undefined if it is not a number. */
  readonly decimals: number | undefined;
  /** Maximum decimals of the column. */
  readonly widest: number;
  readonly class?: string;
  /** All digits, for copying. */
  readonly exact?: string;
}

/** Right-aligned number whose decimal separator is aligned with its column; the font has tabular digits. */
export function AlignedNumber({ text, decimals, widest, exact, ...props }: AlignedNumberProps): JSX.Element {
  // Each row reserves room for a closing bracket, so that a value does not move when it fails.
  const room = widthOf(widest) + 1;
  const behind = decimals === undefined ? 0 : widthOf(decimals) + (text.endsWith(')') ? 1 : 0);
  return (
    <span
      class={`values ${props.class ?? ''}`}
      style={{ marginRight: `${decimals === undefined ? 0 : room - behind}ch` }}
      title={exact}
    >
      {text}
    </span>
  );
}

/** Returns the width of decimal separator and decimals, in digits. */
function widthOf(decimals: number): number {
  return decimals === 0 ? 0 : decimals + 1;
}
