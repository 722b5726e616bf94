import { exportCommand, verifyCommand } from './audit-chain.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { formatLocalTime, parseLocalTime } from '../terminal/local-time.ts';
import { listAuditEvents } from '../../interface/security/audit.ts';
import type { AuditPage, AuditEvent } from '../../interface/security/audit.ts';
import type { ParametersOf } from '../../interface/endpoint.ts';
import { formatEventChanges } from './audit-changes.ts';
import type { RestClient } from '../client/rest-client.ts';
import { formatTable } from '../terminal/table.ts';

const FILTERS = {
  event: { value: 'NAME', help: 'only events of this name, for example CHANNEL_WRITE' },
  outcome: { value: 'OUTCOME', help: 'only events with this outcome: SUCCESS or FAILURE' },
  identity: { value: 'NAME', help: 'only events of this identity', names: 'identity' },
  from: {
    value: 'TIME',
    help: 'only events from this time on: date and time, or milliseconds since 1970-01-01 UTC',
  },
  to: { value: 'TIME', help: 'only events up to this time' },
  before: { value: 'ID', help: 'next page: only events before this one' },
  limit: { value: 'N', help: 'maximum number of events' },
} as const;

/** Shows, verifies and exports the audit log. */
export const audit = createCommandGroup('audit', 'show, verify and export the audit log', {
  verify: verifyCommand,
  export: exportCommand,
  list: {
    parameters: '',
    summary: 'list the recorded events, newest first',
    options: {
      ...FILTERS,
      values: { help: 'show old and new values and all other details of each event' },
    },
    examples: [
      'penstock audit list --identity scada --values',
      'penstock audit list --event CHANNEL_WRITE',
      'penstock audit list --outcome FAILURE --from "2026-03-01 08:00"',
    ],
    run: async ({ client, options, show }) => {
      const filters = Object.keys(FILTERS).flatMap((name): readonly (readonly [string, string])[] => {
        const value = options[name];
        if (typeof value !== 'string') return [];
        return [[name, name === 'from' || name === 'to' ? parseLocalTime(name, value) : value]];
      });
      const { events } = await fetchEvents(client, Object.fromEntries(filters));
      show(events, options['values'] === true ? formatEventsWithValues : formatEvents);
    },
  },
});

/** @throws {UsageError} naming the option of a rejected filter */
async function fetchEvents(
  client: RestClient,
  filters: ParametersOf<typeof listAuditEvents>,
): Promise<AuditPage> {
  try {
    return await client.call(listAuditEvents, filters);
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== 'STATUS_400') throw error;
    throw new UsageError(error.detail.replace(/^"(\w+)"/, '--$1'));
  }
}

/** Formats each event as a separate table, followed by its changes. */
function formatEventsWithValues(events: readonly AuditEvent[]): string {
  return events.map((event) => `${formatEvents([event])}${formatEventChanges(event.detail)}`).join('\n');
}

function formatEvents(events: readonly AuditEvent[]): string {
  return formatTable<AuditEvent>(
    [
      { title: 'ID', show: ({ id }) => id },
      { title: 'TIME', show: ({ time }) => formatLocalTime(time) },
      { title: 'EVENT', show: ({ event }) => event },
      {
        title: 'OUTCOME',
        show: ({ outcome }) => outcome,
        tone: ({ outcome }) => (outcome === 'FAILURE' ? 'BAD' : undefined),
      },
      { title: 'IDENTITY', show: ({ identity }) => identity },
      { title: 'METHOD', show: ({ method }) => method },
      { title: 'ADDRESS', show: ({ address }) => address },
      { title: 'TARGET', show: ({ target }) => target },
    ],
    events,
  );
}
