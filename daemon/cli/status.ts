import { CLIENT_OPTIONS, CLIENT_USAGE, createClient } from './client-options.ts';
import type { ClientValues } from './client-options.ts';
import { formatTable } from './table.ts';
import { parseOptions } from './verb.ts';
import type { Verb } from './verb.ts';

interface ConnectionInfo {
  readonly driver: {
    readonly pid: string;
    readonly endpoint: string;
    readonly state: string;
    readonly lastError?: string;
  };
  readonly units: readonly { readonly state: string }[];
}

interface Row {
  readonly pid: string;
  readonly status: ConnectionInfo;
}

/** Shows how every asset is. */
export const status: Verb = {
  name: 'status',
  summary: 'shows whether the gateway answers and how its assets are connected',
  usage: `Usage: penstock status [OPTION...]\n\n${CLIENT_USAGE}`,
  async run(parameters, terminal) {
    const values = parseOptions(parameters, CLIENT_OPTIONS);
    const client = await createClient(values as ClientValues, terminal);
    const pids = (await client.send('GET', '/services/assets/')).body as readonly string[];
    const rows: Row[] = [];
    for (const pid of pids) {
      const { body } = await client.send('GET', `/services/assets/${encodeURIComponent(pid)}/_status`);
      rows.push({ pid, status: body as ConnectionInfo });
    }
    terminal.print(values.json ? `${JSON.stringify(rows, null, 2)}\n` : describe(rows));
  },
};

function describe(rows: readonly Row[]): string {
  if (rows.length === 0) return 'The gateway answers; it has no assets.\n';
  return formatTable<Row>(
    [
      { title: 'ASSET', show: ({ pid }) => pid },
      { title: 'DRIVER', show: (row) => row.status.driver.pid },
      { title: 'ENDPOINT', show: (row) => row.status.driver.endpoint },
      { title: 'STATE', show: (row) => row.status.driver.state },
      {
        title: 'SET ASIDE',
        show: (row) => row.status.units.filter(({ state }) => state === 'SET_ASIDE').length,
      },
      { title: 'LAST ERROR', show: (row) => row.status.driver.lastError ?? '' },
    ],
    rows,
  );
}
