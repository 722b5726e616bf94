import type { JSX } from 'preact';

interface ScaleProps {
  /** What is measured, for those who do not see it. */
  readonly label: string;
  /** Where the pointer stands, from 0 to 1. */
  readonly share: number;
  readonly tone?: 'none' | 'attention' | 'fault';
}

const WIDTH = 160;
// Room for half of the pointer.
const EDGE = 5;

/** A ruled line with a pointer: where something lies between its bounds. The words beside it say the value. */
export function Scale({ label, share, tone = 'none' }: ScaleProps): JSX.Element {
  const place = Math.max(0, Math.min(1, share));
  const x = EDGE + place * (WIDTH - 2 * EDGE);
  const rules = Array.from({ length: 11 }, (_none, index) => {
    const at = EDGE + (index / 10) * (WIDTH - 2 * EDGE);
    return `M${at} ${index % 5 === 0 ? 4 : 8}V12`;
  }).join('');
  return (
    <svg
      class={`scale ${tone}`}
      width={WIDTH}
      height="16"
      viewBox={`0 0 ${WIDTH} 16`}
      role="img"
      aria-label={`${label}: ${Math.round(place * 100)} %`}
    >
      <path class="rule" d={`${rules}M${EDGE} 12H${WIDTH - EDGE}`} />
      <path class="pointer" d={`M${x} 11L${x - 4} 3H${x + 4}Z`} />
    </svg>
  );
}
