import { getAssetStatus, listAssets } from './asset-status.ts';
import type { AssetStatus } from './asset-status.ts';
import { CLIENT_OPTIONS, CLIENT_USAGE, createClient } from './client-options.ts';
import type { ClientValues } from './client-options.ts';
import { listSilent } from './silent-devices.ts';
import { formatTable } from './table.ts';
import { parseOptions } from './command-line.ts';
import type { Verb } from './verb.ts';

interface Row {
  readonly pid: string;
  readonly status: AssetStatus;
}

/** Shows the state of every asset. */
export const status: Verb = {
  name: 'status',
  summary: 'shows the gateway and the connections of its assets',
  usage: `Usage: penstock status [OPTION...]\n\n${CLIENT_USAGE}`,
  async run(parameters, terminal) {
    const values = parseOptions(parameters, CLIENT_OPTIONS);
    const client = await createClient(values as ClientValues, terminal);
    const rows: Row[] = [];
    for (const pid of await listAssets(client)) rows.push({ pid, status: await getAssetStatus(client, pid) });
    terminal.print(values.json ? `${JSON.stringify(rows, null, 2)}\n` : describe(rows));
  },
};

function describe(rows: readonly Row[]): string {
  if (rows.length === 0) return 'The gateway answers; it has no assets.\n';
  return `${describeConnections(rows)}${describeSilent(rows)}`;
}

function describeConnections(rows: readonly Row[]): string {
  return formatTable<Row>(
    [
      { title: 'ASSET', show: ({ pid }) => pid },
      { title: 'DRIVER', show: (row) => row.status.driver.pid },
      { title: 'ENDPOINT', show: (row) => row.status.driver.endpoint },
      { title: 'STATE', show: (row) => row.status.driver.state },
      {
        title: 'SUSPENDED',
        show: (row) => row.status.units.filter(({ state }) => state === 'SUSPENDED').length,
      },
      { title: 'LAST ERROR', show: (row) => row.status.driver.lastError ?? '' },
    ],
    rows,
  );
}

// A second table, so that the lines of the first stay short where every device answers.
function describeSilent(rows: readonly Row[]): string {
  const silent = rows.flatMap(({ pid, status: { units } }) =>
    listSilent(units).map(({ name, nextAtMs }) => ({ pid, name, nextAtMs })),
  );
  if (silent.length === 0) return '';
  const table = formatTable(
    [
      { title: 'ASSET', show: ({ pid }) => pid },
      { title: 'DOES NOT ANSWER', show: ({ name }) => name },
      {
        title: 'ASKED AGAIN',
        show: ({ nextAtMs }) => (nextAtMs === undefined ? 'now' : new Date(nextAtMs).toISOString()),
      },
    ],
    silent,
  );
  return `\n${table}`;
}
