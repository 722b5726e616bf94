import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { GatewayEvent } from '../../live/gateway-events.ts';
import { useGatewayEvents } from '../../live/gateway-events.ts';
import { showEvent } from '../../parts/event-words.ts';
import { Notice } from '../../parts/notice.tsx';
import { route, setQuery } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { EVENTS } from '../../text/events.ts';
import { fill } from '../../text/fill.ts';
import { formatTime } from '../../text/format.ts';
import { RECORD } from '../../text/record.ts';
import { FilterField, ShowMore, STEP } from './list-tools.tsx';

const KINDS = {
  connections: ['CONNECTION_STATE', 'UNIT_STATE'],
  configuration: ['CONFIGURATION_CHANGED'],
  software: ['DEPLOYMENT', 'BUNDLE_STATE', 'RECORDING_STATE'],
} as const;
type Kind = keyof typeof KINDS;
const KIND_NAMES = {
  connections: RECORD.connections,
  configuration: RECORD.configuration,
  software: RECORD.software,
} as const;

/** Frozen state of a paused list. */
interface Pause {
  readonly events: readonly GatewayEvent[];
  readonly sinceMs: number;
}

/** Live events, with a filter that is part of the link. */
export function EventsView(): JSX.Element {
  const gateway = useGatewayEvents();
  const [pause, setPause] = useState<Pause | undefined>(undefined);
  const [most, setMost] = useState(STEP);
  const filter = route.value.query.get('filter') ?? '';
  const kind = route.value.query.get('kind') ?? '';
  const live = gateway.events.value;
  const state = gateway.state.value;
  const events = pause?.events ?? live;
  const matching = events.filter((event) => isOf(event, kind) && matches(event, filter));
  const fresh = pause === undefined ? 0 : countNewer(live, pause.events[0]?.key ?? 0);
  return (
    <>
      <div class="tools record-tools">
        <FilterField />
        <label class="field">
          <span>{fill(RECORD.kind)}</span>
          <select value={kind} onChange={({ currentTarget }) => setQuery('kind', currentTarget.value)}>
            <option value="">{fill(RECORD.anyKind)}</option>
            {kindNames.map((name) => (
              <option key={name} value={name}>
                {fill(KIND_NAMES[name])}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          onClick={() => setPause(pause === undefined ? { events: live, sinceMs: Date.now() } : undefined)}
        >
          {fill(pause === undefined ? RECORD.pause : RECORD.goOn)}
        </button>
        <span class="soft">{fill(RECORD.countOf, { shown: matching.length, all: events.length })}</span>
        {pause === undefined ? undefined : (
          <span class="soft">{fill(RECORD.paused, { count: fresh, time: formatTime(pause.sinceMs) })}</span>
        )}
      </div>
      {state.kind === 'LOST' ? (
        <Notice level="attention">{fill(EVENTS.lost, { time: formatTime(state.sinceMs) })}</Notice>
      ) : undefined}
      {events.length === 0 && state.kind === 'LIVE' ? <p class="soft">{fill(EVENTS.none)}</p> : undefined}
      {events.length > 0 && matching.length === 0 ? (
        <p class="soft">
          {fill(RECORD.noMatch)}{' '}
          <button
            class="plain"
            type="button"
            onClick={() => {
              setQuery('filter', '');
              setQuery('kind', '');
            }}
          >
            {fill(RECORD.removeFilter)}
          </button>
        </p>
      ) : undefined}
      {matching.length === 0 ? undefined : <EventTable events={matching.slice(0, most)} />}
      <ShowMore length={matching.length} most={most} onMore={setMost} />
    </>
  );
}

function EventTable({ events }: { readonly events: readonly GatewayEvent[] }): JSX.Element {
  const rows = events.map((event) => ({ event, ...showEvent(event) }));
  // Most events have no cause.
  const hasCauses = rows.some(({ cause }) => cause !== '');
  return (
    <table class="record-table">
      <thead>
        <tr>
          <th scope="col">{fill(RECORD.time)}</th>
          <th scope="col">{fill(RECORD.what)}</th>
          {hasCauses ? <th scope="col">{fill(RECORD.why)}</th> : undefined}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ event, tone, words, cause }) => (
          <tr key={event.key}>
            <td class="values">{formatTime(event.time)}</td>
            <td>
              <StateWord tone={tone} words={words} />
            </td>
            {hasCauses ? <td class="soft">{cause}</td> : undefined}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const kindNames: readonly Kind[] = ['connections', 'configuration', 'software'];

// Gaps are shown for every type.
function isOf({ type }: GatewayEvent, kind: string): boolean {
  const known = kindNames.find((name) => name === kind);
  if (known === undefined || type === 'gap') return true;
  const types: readonly string[] = KINDS[known];
  return types.includes(type);
}

function matches(event: GatewayEvent, filter: string): boolean {
  if (filter === '') return true;
  const { words, cause } = showEvent(event);
  return `${words} ${cause}`.toLowerCase().includes(filter.toLowerCase());
}

function countNewer(events: readonly GatewayEvent[], key: number): number {
  return events.filter((event) => event.key > key).length;
}
