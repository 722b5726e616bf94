import type { ComponentChildren, JSX } from 'preact';

interface RangeBarProps {
  /** Accessible name of the value. */
  readonly label: string;
  /** Accessible text of the value. */
  readonly words: string;
  readonly minimum: number;
  readonly maximum: number;
  /** Drawn at the nearer bound if out of range. */
  readonly value: number;
  readonly tone?: 'none' | 'attention' | 'fault';
  /** Labels of the ends. */
  readonly from?: ComponentChildren;
  readonly to?: ComponentChildren;
}

const TICKS = 10;
const HEIGHT = 12;

/** Position of a value between bounds: a ruled line with a pointer. */
export function RangeBar(props: RangeBarProps): JSX.Element {
  const { label, words, minimum, maximum, value, tone = 'none', from, to } = props;
  const share = maximum > minimum ? (value - minimum) / (maximum - minimum) : 0;
  const percent = Math.round(Math.max(0, Math.min(1, share)) * 1000) / 10;
  return (
    <span class={`range-bar ${tone}`}>
      {from}
      <svg
        height={HEIGHT}
        width="100%"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={words}
      >
        <line class="ruled" x1="0" x2="100%" y1="3.5" y2="3.5" />
        {Array.from({ length: TICKS + 1 }, (_, index) => {
          const x = `${(index * 100) / TICKS}%`;
          return <line key={x} class="ruled" x1={x} x2={x} y1="1" y2={index % 5 === 0 ? 7 : 4} />;
        })}
        <svg x={`${percent}%`} overflow="visible">
          <path class="pointer" d="M0 4 4 12H-4Z" />
        </svg>
      </svg>
      {to}
    </span>
  );
}
