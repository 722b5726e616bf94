import type { JSX } from 'preact';

import type { WriteResultRecord } from '../../../interface/plant/assets.ts';
import { explainCause } from '../../parts/gateway-words.ts';
import { ASSETS, WRITE_OUTCOMES } from '../../text/assets.ts';
import { fill } from '../../text/fill.ts';
import { formatTime, formatUnit } from '../../text/format.ts';
import { SHELL } from '../../text/shell.ts';
import { formatExactly } from '../../text/value-text.ts';

/** Outcome of a write. */
export interface WriteEnd {
  readonly record: WriteResultRecord;
  readonly requestId: string;
}

interface OutcomeLineProps extends WriteEnd {
  /** Unit of the channel. */
  readonly decimals: number | undefined;
}

type Outcome = NonNullable<WriteResultRecord['outcome']>;

// Each has its own shape, so that outcomes are distinguishable in greyscale.
const SHAPES: Readonly<Record<Outcome, JSX.Element>> = {
  VERIFIED: <circle cx="8" cy="8" r="6" fill="currentColor" />,
  ACKNOWLEDGED: (
    <>
      <circle cx="8" cy="8" r="5.3" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M8 2A6 6 0 0 0 8 14Z" fill="currentColor" />
    </>
  ),
  REFUSED: <path d="M3 3 13 13M13 3 3 13" fill="none" stroke="currentColor" stroke-width="2" />,
  NOT_SENT: <path d="M2.5 8H13.5" fill="none" stroke="currentColor" stroke-width="2" />,
  UNKNOWN: (
    <>
      <circle
        cx="8"
        cy="8"
        r="6"
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-dasharray="2.5 2"
      />
      <path
        d="M6.2 6.4A1.9 1.9 0 1 1 8.4 8.3C8 8.5 8 8.8 8 9.3M8 11.2V11.6"
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
      />
    </>
  ),
};

const TONES: Readonly<Record<Outcome, string>> = {
  VERIFIED: 'good',
  ACKNOWLEDGED: 'good',
  REFUSED: 'fault',
  NOT_SENT: 'attention',
  UNKNOWN: 'attention',
};

/** Shows the outcome of a write: word, shape and consequence. */
export function OutcomeLine({ record, requestId, decimals }: OutcomeLineProps): JSX.Element {
  const outcome: Outcome = record.outcome ?? 'UNKNOWN';
  const { statusCode, channelStatus, reasons } = record;
  const message = explainCause(statusCode, channelStatus.exceptionMessage ?? '', reasons);
  return (
    <div class="outcome" role="status">
      <svg class={`state ${TONES[outcome]}`} width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        {SHAPES[outcome]}
      </svg>
      <div>
        <strong>{outcome}</strong> <span class="values">{formatTime(record.timestamp)}</span>
        <div>
          {fill(WRITE_OUTCOMES[outcome])} {message}{' '}
          {record.requestedValue === undefined || record.value === undefined
            ? undefined
            : fill(ASSETS.rounded, {
                value: formatExactly(record.value, decimals),
                unit: formatUnit(record.unit),
              })}{' '}
          {record.readBack === undefined
            ? undefined
            : fill(ASSETS.readBack, {
                value: formatExactly(record.readBack, decimals),
                unit: formatUnit(record.unit),
              })}
        </div>
        {requestId === '' ? undefined : (
          <div class="code faint">{fill(SHELL.requestId, { id: requestId })}</div>
        )}
      </div>
    </div>
  );
}
