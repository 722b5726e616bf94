import { createClientVerb } from './client-verb.ts';
import { formatTable } from './table.ts';

interface AuditEvent {
  readonly time: number;
  readonly event: string;
  readonly outcome: string;
  readonly identity?: string;
  readonly method?: string;
  readonly address?: string;
  readonly target?: string;
}

const FILTERS = ['event', 'outcome', 'identity', 'from', 'to', 'before', 'limit'] as const;

/** Shows the audit log. */
export const audit = createClientVerb('audit', 'shows who did what', {
  list: {
    parameters: '',
    summary: 'lists the recorded events, the newest first',
    options: Object.fromEntries(FILTERS.map((name) => [name, { type: 'string' as const }])),
    optionsUsage: `  --event NAME, --outcome SUCCESS|FAILURE, --identity NAME
  --from MS, --to MS     time span in milliseconds since 1970-01-01 UTC
  --before ID, --limit N next page: events before ID, at most N
`,
    run: async ({ client, options, show }) => {
      const query = new URLSearchParams(
        FILTERS.flatMap((name) => {
          const value = options[name];
          return typeof value === 'string' ? [[name, value] as [string, string]] : [];
        }),
      );
      const { body } = await client.send('GET', `/services/audit/v1/events?${query.toString()}`);
      show((body as { readonly events: readonly AuditEvent[] }).events, formatEvents);
    },
  },
});

function formatEvents(events: readonly AuditEvent[]): string {
  return formatTable<AuditEvent>(
    [
      { title: 'TIME', show: ({ time }) => new Date(time).toISOString() },
      { title: 'EVENT', show: ({ event }) => event },
      { title: 'OUTCOME', show: ({ outcome }) => outcome },
      { title: 'IDENTITY', show: ({ identity }) => identity },
      { title: 'METHOD', show: ({ method }) => method },
      { title: 'ADDRESS', show: ({ address }) => address },
      { title: 'TARGET', show: ({ target }) => target },
    ],
    events,
  );
}
