import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { fill } from '../../text/fill.ts';
import { formatTime } from '../../text/format.ts';
import { TRENDS } from '../../text/trends.ts';
import type { TrendCollector } from '../../trend/trend-collector.ts';
import { RecordForm } from './record-form.tsx';
import type { Curve } from './use-curves.ts';
import { listRecordersOf, useRecorders } from './use-recorders.ts';

interface RecordedStateProps {
  readonly curves: readonly Curve[];
  readonly collector: TrendCollector;
  /** State of the display, shown first. */
  readonly words: string;
  /** Begin of the earliest curve. */
  readonly startMs: number;
  /** Begin of the displayed range. */
  readonly fromMs: number;
}

/** Says where the curves begin and which are recorded, and offers to record the others. */
export function RecordedState(props: RecordedStateProps): JSX.Element {
  const { curves, collector, words } = props;
  const recorders = useRecorders();
  const [isOpen, setOpen] = useState(false);
  const known = curves.filter(({ channel }) => channel !== undefined);
  // The recorders are known with permission only; otherwise, values that were found.
  const recorded = known.filter(({ name }) =>
    recorders === undefined ? collector.isRecorded(name) : listRecordersOf(recorders, name).length > 0,
  );
  const others = known.filter((curve) => !recorded.includes(curve));
  const keys = recorded.map(({ key }) => key).join(', ');
  const texts = [
    words,
    describeStart(props, recorded.length > 0 || known.some(({ name }) => collector.isRecorded(name))),
    recorded.length === 0
      ? ''
      : others.length === 0
        ? fill(TRENDS.recorded)
        : fill(TRENDS.recordedSome, { curves: keys }),
  ];
  return (
    <>
      <div class="tools trend-state">
        <p class="soft" role="status">
          {texts.filter((text) => text !== '').join(' ')}
        </p>
        {recorders !== undefined && others.length > 0 && !isOpen ? (
          <button type="button" onClick={() => setOpen(true)}>
            {fill(TRENDS.record)}
          </button>
        ) : undefined}
      </div>
      {isOpen && recorders !== undefined ? (
        <RecordForm curves={known} recorders={recorders} onClose={() => setOpen(false)} />
      ) : undefined}
    </>
  );
}

function describeStart({ startMs, fromMs }: RecordedStateProps, isRecorded: boolean): string {
  if (!Number.isFinite(startMs)) return fill(TRENDS.waiting);
  if (startMs <= fromMs) return '';
  return fill(isRecorded ? TRENDS.beginAt : TRENDS.since, { time: formatTime(startMs) });
}
