import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
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
  const { session } = useConsole();
  const recorders = useRecorders();
  const [isOpen, setOpen] = useState(false);
  const known = curves.filter(({ channel }) => channel !== undefined);
  const found = known.filter(({ name }) => collector.isRecorded(name));
  const recorded = known.filter(({ name }) => listRecordersOf(recorders ?? [], name).length > 0);
  const others = known.filter((curve) => !recorded.includes(curve));
  const ended = others.filter((curve) => found.includes(curve));
  const texts = [
    words,
    describeStart(props, recorders === undefined || recorded.length + found.length > 0),
    recorders === undefined
      ? ''
      : describeRecording(recorded, { isAll: recorded.length > 0 && others.length === 0, ended }),
  ];
  return (
    <>
      <div class="tools trend-state">
        <p class="soft" role="status">
          {texts.filter((text) => text !== '').join(' ')}
        </p>
        {recorders !== undefined && session.may('rest.configuration') && (others.length > 0 || isOpen) ? (
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
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

function describeRecording(
  recorded: readonly Curve[],
  { isAll, ended }: { readonly isAll: boolean; readonly ended: readonly Curve[] },
): string {
  const list = (curves: readonly Curve[]): string => curves.map(({ key }) => key).join(', ');
  const texts = [
    isAll ? fill(TRENDS.recorded) : '',
    !isAll && recorded.length > 0 ? fill(TRENDS.recordedSome, { curves: list(recorded) }) : '',
    ended.length > 0 ? fill(TRENDS.recordedBefore, { curves: list(ended) }) : '',
  ];
  return texts.filter((text) => text !== '').join(' ');
}

function describeStart({ startMs, fromMs }: RecordedStateProps, isRecorded: boolean): string {
  if (!Number.isFinite(startMs)) return fill(TRENDS.waiting);
  if (startMs <= fromMs) return '';
  return fill(isRecorded ? TRENDS.beginAt : TRENDS.since, { time: formatTime(startMs) });
}
