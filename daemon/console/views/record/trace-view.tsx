import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { listDrivers } from '../../../interface/plant/drivers.ts';
import type { TracedFrame, traceLine } from '../../../interface/plant/tracing.ts';
import { translateParts } from '../../parts/gateway-words.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { Outline } from '../../parts/outline.tsx';
import { route, setQuery } from '../../parts/route.ts';
import { useResource } from '../../parts/use-resource.ts';
import { DIAGNOSE } from '../../text/diagnose.ts';
import { fill } from '../../text/fill.ts';
import { formatTime } from '../../text/format.ts';
import { RECORD } from '../../text/record.ts';

const EVERY_MS = 1000;
// The gateway keeps the same number.
const KEPT = 200;
const DIRECTIONS = { SENT: DIAGNOSE.SENT, RECEIVED: DIAGNOSE.RECEIVED } as const;

/** Bytes of a connection as they pass, newest first. */
export function TraceView(): JSX.Element {
  const { rest } = useConsole();
  const { value, error, reload } = useResource('drivers', (abort) =>
    rest.call<typeof listDrivers>('GET', '/services/drivers/v1', { abort }),
  );
  const lines = value ?? [];
  const line = lines.find(({ pid }) => pid === route.value.query.get('line')) ?? lines[0];
  if (value === undefined) {
    return error === undefined ? <Outline /> : <FailureNotice error={error} onRetry={reload} />;
  }
  if (line === undefined) return <p class="soft">{fill(DIAGNOSE.noLine)}</p>;
  return (
    <>
      <label class="field trace-line">
        <span>{fill(DIAGNOSE.connection)}</span>
        <select
          name="line"
          value={line.pid}
          onChange={({ currentTarget }) => setQuery('line', currentTarget.value)}
        >
          {lines.map(({ pid, endpoint }) => (
            <option key={pid} value={pid}>
              {`${pid}, ${endpoint}`}
            </option>
          ))}
        </select>
      </label>
      <Frames key={line.pid} pid={line.pid} />
    </>
  );
}

function Frames({ pid }: { readonly pid: string }): JSX.Element {
  const { rest } = useConsole();
  const [frames, setFrames] = useState<readonly TracedFrame[]>([]);
  const [paused, setPaused] = useState<readonly TracedFrame[] | undefined>(undefined);
  const [isIncomplete, setIncomplete] = useState(false);
  const newest = useRef<number | undefined>(undefined);
  const run = useRef<string | undefined>(undefined);
  const { value, error, reload } = useResource(
    `trace ${pid}`,
    (abort) =>
      rest.call<typeof traceLine>(
        'GET',
        `/services/drivers/v1/${encodeURIComponent(pid)}/_trace?after=${newest.current ?? 0}`,
        { abort },
      ),
    { everyMs: EVERY_MS },
  );
  useEffect(() => {
    if (value === undefined) return;
    const before = newest.current;
    // After a pause of the page, the gateway has begun a new trace, and counts from the beginning.
    const isNew = before !== undefined && value.run !== run.current;
    run.current = value.run;
    newest.current = isNew ? undefined : (value.frames.at(-1)?.id ?? before ?? 0);
    if (isNew) {
      setFrames([]);
      reload();
      return;
    }
    const [first] = value.frames;
    if (first === undefined) return;
    if (before !== undefined && first.id > before + 1) setIncomplete(true);
    setFrames((known) => [...known, ...value.frames].slice(-KEPT));
  }, [value]);
  const shown = paused ?? frames;
  return (
    <>
      <div class="tools record-tools">
        <button type="button" onClick={() => setPaused(paused === undefined ? frames : undefined)}>
          {fill(paused === undefined ? RECORD.pause : RECORD.goOn)}
        </button>
        <span class="soft" role="status">
          {fill(DIAGNOSE.frames, { count: shown.length })}
        </span>
      </div>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {isIncomplete ? <Notice level="attention">{fill(DIAGNOSE.missingFrames)}</Notice> : undefined}
      {value !== undefined && shown.length === 0 ? <p class="soft">{fill(DIAGNOSE.noFrames)}</p> : undefined}
      {shown.length === 0 ? undefined : <FrameTable frames={shown.toReversed()} />}
      <p class="faint">{fill(DIAGNOSE.traceHint)}</p>
    </>
  );
}

function FrameTable({ frames }: { readonly frames: readonly TracedFrame[] }): JSX.Element {
  return (
    <table class="record-table trace-table" aria-label={fill(DIAGNOSE.trace)}>
      <thead>
        <tr>
          <th scope="col">{fill(RECORD.time)}</th>
          <th scope="col">{fill(DIAGNOSE.direction)}</th>
          <th scope="col">{fill(DIAGNOSE.meaning)}</th>
          <th scope="col">{fill(DIAGNOSE.bytes)}</th>
        </tr>
      </thead>
      <tbody>
        {frames.map(({ id, time, direction, hex, meaning: message, reasons }) => (
          <tr key={id}>
            <td class="values">{`${formatTime(time)}.${String(time % 1000).padStart(3, '0')}`}</td>
            <td>{fill(DIRECTIONS[direction])}</td>
            <td>
              {message === '' ? (
                <span class="faint">{fill(DIAGNOSE.noFrame)}</span>
              ) : (
                translateParts({ message, reasons })
              )}
            </td>
            <td class="code soft">{hex.replaceAll(/(..)(?=.)/g, '$1 ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
