import type { JSX } from 'preact';

interface AlignedNumberProps {
  /** The number as it is shown, maybe in brackets, or what stands in its place. */
  readonly text: string;
  /** How many decimals it is shown with; undefined: it is no number. */
  readonly decimals: number | undefined;
  /** The most decimals of a number in the same column. */
  readonly widest: number;
  readonly class?: string;
  /** Every digit, for copies. */
  readonly exact?: string;
}

/** Shows a value at the right of its column so that decimal signs are below each other; its font has one width for all digits. */
export function AlignedNumber({ text, decimals, widest, exact, ...props }: AlignedNumberProps): JSX.Element {
  // A closing bracket has room in each row: a value does not move when it fails.
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

/** Returns how many digits a decimal sign and the decimals take. */
function widthOf(decimals: number): number {
  return decimals === 0 ? 0 : decimals + 1;
}
