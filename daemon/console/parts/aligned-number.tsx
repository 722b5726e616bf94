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
  if (decimals === undefined) {
    return (
      <span class={`values ${props.class ?? ''}`} title={exact}>
        {text}
      </span>
    );
  }
  // Separator and bracket are narrower than a digit. Each row reserves room for both, so that a value does not move when it fails.
  const separator = decimals === 0 && widest > 0 ? '.' : '';
  const bracket = text.endsWith(')') ? '' : ')';
  return (
    <span
      class={`values aligned ${props.class ?? ''}`}
      data-room={separator + bracket}
      style={{ marginRight: `${widest - decimals}ch` }}
      title={exact}
    >
      {text}
    </span>
  );
}
