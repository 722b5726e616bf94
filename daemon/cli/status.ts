import { listAssets } from '../interface/plant/assets.ts';
import { readAssetStatus } from '../interface/plant/asset-status.ts';
import type { AssetStatus, UnitStatus } from '../interface/plant/asset-status.ts';
import { createCommandGroup } from './client/client-commands.ts';
import { formatLocalTime } from './terminal/local-time.ts';
import { listSilent } from './driver/silent-devices.ts';
import { formatTable } from './terminal/table.ts';
import { toneOfState } from './status-text.ts';

interface Row {
  readonly pid: string;
  readonly status: AssetStatus;
}

/** Shows the state of all assets. */
export const status = createCommandGroup('status', 'show the gateway and the connections of its assets', {
  '': {
    parameters: '',
    summary: 'show if the gateway responds, and the connections of its assets',
    run: async ({ client, show }) => {
      const rows: Row[] = [];
      for (const pid of await client.call(listAssets)) {
        rows.push({ pid, status: await client.call(readAssetStatus, { pid }) });
      }
      show(rows, describe);
    },
  },
});

function describe(rows: readonly Row[]): string {
  if (rows.length === 0) return 'The gateway responds; it has no assets.\n';
  return `${describeConnections(rows)}${describeSilent(rows)}${describeFailing(rows)}`;
}

/** Lists the units with channels of the asset; other units on its line belong to other assets. */
function listUsed(row: Row): readonly UnitStatus[] {
  return row.status.units.filter(({ isUsed }) => isUsed);
}

function describeConnections(rows: readonly Row[]): string {
  return formatTable<Row>(
    [
      { title: 'ASSET', show: ({ pid }) => pid },
      { title: 'DRIVER', show: (row) => row.status.driver.pid },
      { title: 'ENDPOINT', show: (row) => row.status.driver.endpoint },
      {
        title: 'STATE',
        show: (row) => row.status.driver.state,
        tone: (row) => toneOfState(row.status.driver.state),
      },
      {
        title: 'SUSPENDED',
        show: (row) => listUsed(row).filter(({ state }) => state === 'SUSPENDED').length,
      },
      { title: 'LAST ERROR', show: (row) => row.status.driver.lastError ?? '' },
    ],
    rows,
  );
}

// A separate table keeps the first one narrow if all devices respond.
function describeSilent(rows: readonly Row[]): string {
  const silent = rows.flatMap((row) =>
    listSilent(listUsed(row)).map(({ name, nextAtMs }) => ({ pid: row.pid, name, nextAtMs })),
  );
  if (silent.length === 0) return '';
  const table = formatTable(
    [
      { title: 'ASSET', show: ({ pid }) => pid },
      { title: 'NOT RESPONDING', show: ({ name }) => name },
      {
        title: 'NEXT ATTEMPT',
        show: ({ nextAtMs }) => (nextAtMs === undefined ? 'now' : formatLocalTime(nextAtMs)),
      },
    ],
    silent,
  );
  return `\n${table}`;
}

/** Lists the first failing channels of each asset whose device responds, and the number of further ones. */
function describeFailing(rows: readonly Row[]): string {
  const failing = rows.flatMap(({ pid, status: { failingChannels } }) => {
    const { count = 0, first = [] } = failingChannels ?? {};
    const named = first.map(({ name, since, message }) => ({
      pid,
      name,
      since: formatLocalTime(since),
      message,
    }));
    const more = count - first.length;
    return more > 0 ? [...named, { pid, name: `and ${more} more`, since: '', message: '' }] : named;
  });
  if (failing.length === 0) return '';
  const table = formatTable(
    [
      { title: 'ASSET', show: ({ pid }) => pid },
      { title: 'FAILING CHANNEL', show: ({ name }) => name },
      { title: 'SINCE', show: ({ since }) => since },
      { title: 'REASON', show: ({ message }) => message },
    ],
    failing,
  );
  return `\n${table}`;
}
