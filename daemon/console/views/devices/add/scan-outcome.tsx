import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../../api/console-context.ts';
import { RestFailure } from '../../../api/rest-failure.ts';
import type { ShownScan } from '../../../../interface/plant/scans.ts';
import { forgetScan, stopScan } from '../../../live/own-scans.ts';
import { FailureNotice, Notice } from '../../../parts/notice.tsx';
import { RangeBar } from '../../../parts/range-bar.tsx';
import { setQuery } from '../../../parts/route.ts';
import { DEVICES } from '../../../text/devices.ts';
import { fill } from '../../../text/fill.ts';
import { formatCount } from '../../../text/format.ts';
import { describeScan, translateNote, translateSubject, translateText } from '../scan-words.ts';

interface ScanOutcomeProps {
  readonly scan: ShownScan;
  readonly onChange: () => void;
}

// An OPC UA server has thousands; the ticks list them by folder.
const SHOWN_AT_FIRST = 12;

/** Shows progress and results of a scan. */
export function ScanOutcome({ scan, onChange }: ScanOutcomeProps): JSX.Element {
  const { rest } = useConsole();
  const [error, setError] = useState<unknown>(undefined);
  const { id, target, state, findings, found, result, failure } = scan;
  const isRunning = state === 'RUNNING';
  const [isAll, setAll] = useState(false);
  const shown = isAll ? findings : findings.slice(0, SHOWN_AT_FIRST);
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
        <h2>{fill(DEVICES.scanOf, { target })}</h2>
        {isRunning ? <Progress scan={scan} /> : <p>{describeScan(scan)}</p>}
        <div class="tools">
          <button
            type="button"
            onClick={() => {
              if (isRunning) void act(stopScan(rest, id));
              else void act(forgetScan(rest, id).then(() => setQuery('scan', '')));
            }}
          >
            {fill(isRunning ? DEVICES.stop : DEVICES.forget)}
          </button>
        </div>
      </section>
      {error === undefined ? undefined : <FailureNotice error={error} />}
      {failure === undefined ? undefined : (
        <FailureNotice error={new RestFailure({ status: 200, ...failure })} />
      )}
      {findings.length === 0 ? undefined : (
        <section>
          <h2>{fill(DEVICES.found)}</h2>
          <ul class="finds">
            {shown.map((finding) => (
              <li key={`${finding.subject} ${finding.kind} ${finding.text}`}>
                <span class="code">{translateSubject(finding)}</span> {translateText(finding)}
              </li>
            ))}
          </ul>
          {findings.length > shown.length ? (
            <button type="button" onClick={() => setAll(true)}>
              {fill(DEVICES.showAll, { count: formatCount(findings.length) })}
            </button>
          ) : undefined}
          {findings.length === found ? undefined : (
            <p class="soft">
              {fill(DEVICES.firstFound, {
                kept: formatCount(findings.length),
                count: formatCount(found),
              })}
            </p>
          )}
        </section>
      )}
      {result?.isComplete === false ? <Notice level="info">{fill(DEVICES.incomplete)}</Notice> : undefined}
      {(result?.details?.map(translateNote) ?? result?.notes ?? []).map((note) => (
        <p key={note} class="soft note">
          {note}
        </p>
      ))}
      {result !== undefined && findings.length === 0 ? (
        <Notice level="info">{fill(DEVICES.foundNothing)}</Notice>
      ) : undefined}
    </>
  );
}

function Progress({ scan }: { readonly scan: ShownScan }): JSX.Element {
  const { target, done = 0, total, text = '', reasons } = scan;
  const words = describeScan(scan);
  return (
    <>
      {total === undefined ? undefined : (
        <RangeBar
          label={fill(DEVICES.scanOf, { target })}
          words={words}
          minimum={0}
          maximum={total}
          value={done}
        />
      )}
      <p>
        {words} <span class="soft">{translateText({ text, reasons })}</span>
      </p>
      <p class="soft">{fill(DEVICES.scanGoesOn)}</p>
    </>
  );
}
