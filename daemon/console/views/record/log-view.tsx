import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { LogLine } from '../../../interface/status.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { Outline } from '../../parts/outline.tsx';
import { route, setQuery } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { DIAGNOSE } from '../../text/diagnose.ts';
import { fill } from '../../text/fill.ts';
import { formatTime } from '../../text/format.ts';
import { RECORD } from '../../text/record.ts';
import { CollectSupport } from './collect-support.tsx';
import { FilterField, ShowMore, STEP } from './list-tools.tsx';
import { useLog } from './use-log.ts';

const SHOWN_CHARACTERS = 100;
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const TONES = { debug: 'none', info: 'none', warn: 'attention', error: 'fault' } as const;

/** Live log of the gateway, newest first, with a filter that is part of the link. */
export function LogView(): JSX.Element {
  const log = useLog();
  const { query } = route.value;
  const [paused, setPaused] = useState<readonly LogLine[] | undefined>(undefined);
  const [most, setMost] = useState(STEP);
  const filter = query.get('filter') ?? '';
  const level = LEVELS.find((name) => name === query.get('level')) ?? 'debug';
  const lines = paused ?? log.entries;
  const matching = (lines ?? []).filter((line) => isOf(line, level) && matches(line, filter)).toReversed();
  const newer = paused === undefined ? 0 : countAfter(log.entries, paused.at(-1)?.id ?? 0);
  return (
    <>
      <div class="tools record-tools">
        <FilterField />
        <label class="field">
          <span>{fill(DIAGNOSE.level)}</span>
          <select
            name="level"
            value={level}
            onChange={({ currentTarget: { value } }) => setQuery('level', value === 'debug' ? '' : value)}
          >
            <option value="debug">{fill(DIAGNOSE.anyLevel)}</option>
            <option value="info">{fill(DIAGNOSE.info)}</option>
            <option value="warn">{fill(DIAGNOSE.warn)}</option>
            <option value="error">{fill(DIAGNOSE.error)}</option>
          </select>
        </label>
        <button
          type="button"
          disabled={log.entries === undefined}
          onClick={() => setPaused(paused === undefined ? log.entries : undefined)}
        >
          {fill(paused === undefined ? RECORD.pause : RECORD.goOn)}
        </button>
        <CollectSupport />
        <span class="soft" role="status">
          {lines === undefined ? '' : fill(RECORD.countOf, { shown: matching.length, all: lines.length })}
          {newer === 0 ? '' : ` ${fill(RECORD.newLines, { count: newer })}`}
        </span>
      </div>
      {log.error === undefined ? undefined : <FailureNotice error={log.error} onRetry={log.reload} />}
      {log.isIncomplete ? <Notice level="attention">{fill(DIAGNOSE.missing)}</Notice> : undefined}
      {lines === undefined && log.error === undefined ? <Outline rows={8} /> : undefined}
      {lines?.length === 0 ? <p class="soft">{fill(DIAGNOSE.noLines)}</p> : undefined}
      {lines !== undefined && lines.length > 0 && matching.length === 0 ? (
        <p class="soft">{fill(RECORD.noMatch)}</p>
      ) : undefined}
      {matching.length === 0 ? undefined : <LogTable lines={matching.slice(0, most)} />}
      <ShowMore length={matching.length} most={most} onMore={setMost} />
      <p class="faint">{fill(DIAGNOSE.logHint)}</p>
    </>
  );
}

function LogTable({ lines }: { readonly lines: readonly LogLine[] }): JSX.Element {
  return (
    <table class="record-table log-table" aria-label={fill(DIAGNOSE.log)}>
      <thead>
        <tr>
          <th scope="col">{fill(RECORD.time)}</th>
          <th scope="col">{fill(RECORD.what)}</th>
          <th scope="col">{fill(DIAGNOSE.details)}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.id}>
            <td class="values">{formatTime(Date.parse(line.time))}</td>
            <td>
              <StateWord tone={TONES[line.level]} words={line.event} />
            </td>
            <td class="code soft">
              <Fields text={describeFields(line)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** One line; what is longer is folded. */
function Fields({ text }: { readonly text: string }): JSX.Element {
  if (text.length <= SHOWN_CHARACTERS) return <>{text}</>;
  return (
    <details>
      <summary>{`${text.slice(0, SHOWN_CHARACTERS)} …`}</summary>
      <span>{text.slice(SHOWN_CHARACTERS)}</span>
    </details>
  );
}

/** Returns the fields of a line as text; nested ones as JSON. */
function describeFields({ fields }: LogLine): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('  ');
}

function isOf({ level }: LogLine, least: LogLine['level']): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}

function matches(line: LogLine, filter: string): boolean {
  if (filter === '') return true;
  return `${line.event} ${describeFields(line)}`.toLowerCase().includes(filter.toLowerCase());
}

function countAfter(lines: readonly LogLine[] = [], id: number): number {
  return lines.filter((line) => line.id > id).length;
}
