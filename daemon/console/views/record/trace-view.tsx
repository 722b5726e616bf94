import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

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
import { useFollowed } from './use-followed.ts';

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
  const [paused, setPaused] = useState<readonly TracedFrame[] | undefined>(undefined);
  const {
    entries: frames,
    isIncomplete,
    error,
    reload,
  } = useFollowed<TracedFrame>({
    key: `trace ${pid}`,
    everyMs: EVERY_MS,
    kept: KEPT,
    async load(after, abort) {
      const path = `/services/drivers/v1/${encodeURIComponent(pid)}/_trace?after=${after ?? 0}` as const;
      const { frames: entries, run } = await rest.call<typeof traceLine>('GET', path, { abort });
      const isGap = after !== undefined && (entries[0]?.id ?? 0) > after + 1;
      return { entries, run, newest: entries.at(-1)?.id ?? after ?? 0, isIncomplete: isGap };
    },
  });
  const shown = paused ?? frames ?? [];
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
      {frames !== undefined && shown.length === 0 ? <p class="soft">{fill(DIAGNOSE.noFrames)}</p> : undefined}
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
