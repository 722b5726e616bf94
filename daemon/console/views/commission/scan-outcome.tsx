import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import type { ShownScan } from '../../../interface/plant/scans.ts';
import { forgetScan, stopScan } from '../../live/own-scans.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { RangeBar } from '../../parts/range-bar.tsx';
import { setQuery } from '../../parts/route.ts';
import { COMMISSION } from '../../text/commission.ts';
import { fill } from '../../text/fill.ts';
import { formatCount } from '../../text/format.ts';
import { PlanStep } from './plan-step.tsx';
import { describeScan } from './scan-words.ts';

interface ScanOutcomeProps {
  readonly scan: ShownScan;
  /** Settings of the form, including those stored nowhere else. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly onChange: () => void;
}

/** Shows progress and results of a scan, and the plan step after its end. */
export function ScanOutcome({ scan, settings, onChange }: ScanOutcomeProps): JSX.Element {
  const { rest } = useConsole();
  const [error, setError] = useState<unknown>(undefined);
  const { id, target, state, findings, found, result, failure } = scan;
  const isRunning = state === 'RUNNING';
  const act = async (action: Promise<void>): Promise<void> => {
    setError(undefined);
    try {
      await action;
    } catch (thrown) {
      setError(thrown);
    }
    onChange();
  };
  return (
    <>
      <section class="scan">
        <h2>{fill(COMMISSION.scanOf, { target })}</h2>
        {isRunning ? <Progress scan={scan} /> : <p>{describeScan(scan)}</p>}
        <div class="tools">
          <button
            type="button"
            onClick={() => {
              if (isRunning) void act(stopScan(rest, id));
              else void act(forgetScan(rest, id).then(() => setQuery('scan', '')));
            }}
          >
            {fill(isRunning ? COMMISSION.stop : COMMISSION.forget)}
          </button>
        </div>
      </section>
      {error === undefined ? undefined : <FailureNotice error={error} />}
      {failure === undefined ? undefined : (
        <FailureNotice error={new RestFailure({ status: 200, message: failure.message })} />
      )}
      {findings.length === 0 ? undefined : (
        <section>
          <h2>{fill(COMMISSION.found)}</h2>
          <ul class="finds">
            {findings.map(({ subject, kind, text }) => (
              <li key={`${subject} ${kind} ${text}`}>
                <span class="code">{subject}</span> {text}
              </li>
            ))}
          </ul>
          {findings.length === found ? undefined : (
            <p class="soft">
              {fill(COMMISSION.firstFound, {
                kept: formatCount(findings.length),
                count: formatCount(found),
              })}
            </p>
          )}
        </section>
      )}
      {result === undefined ? undefined : (
        <>
          {findings.length === 0 ? <Notice level="info">{fill(COMMISSION.foundNothing)}</Notice> : undefined}
          <PlanStep result={result} settings={settings} />
        </>
      )}
    </>
  );
}

function Progress({ scan }: { readonly scan: ShownScan }): JSX.Element {
  const { target, done = 0, total, text = '' } = scan;
  const words = describeScan(scan);
  return (
    <>
      {total === undefined ? undefined : (
        <RangeBar
          label={fill(COMMISSION.scanOf, { target })}
          words={words}
          minimum={0}
          maximum={total}
          value={done}
        />
      )}
      <p>
        {words} <span class="soft">{text}</span>
      </p>
      <p class="soft">{fill(COMMISSION.scanGoesOn)}</p>
    </>
  );
}
