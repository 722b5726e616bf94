import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { findFreePort, findFreePorts } from './free-ports.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';

const PAUSE_MS = 50;

/** A point of a database: milliseconds since the epoch, and the value. */
export type StoredPoint = readonly [timeMs: number, value: unknown];

/** A database that takes the Influx line protocol. */
export interface TimeSeriesDatabase {
  readonly port: number;
  /** Path of the write endpoint, with its query. */
  readonly writePath: string;
  /** Returns the points of a channel in the order of time. */
  read(asset: string, channel: string): Promise<readonly StoredPoint[]>;
}

/** Starts VictoriaMetrics; it is stopped when the test ends. */
export async function startVictoriaMetrics(t: Owner): Promise<TimeSeriesDatabase> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  await startDatabase(t, `${url}/health`, 'victoria-metrics', [
    `-storageDataPath=${path.join(createTemporaryDirectory(t), 'data')}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    // The same point twice is one.
    '-dedup.minScrapeInterval=1ms',
  ]);
  return {
    port,
    writePath: '/write',
    async read(asset, channel) {
      await fetch(`${url}/internal/force_flush`);
      const query = new URLSearchParams({ 'match[]': `{__name__="${asset}_${channel}"}` });
      const answer = await fetch(`${url}/api/v1/export?${query.toString()}`);
      const text = await answer.text();
      return text
        .split('\n')
        .filter((line) => line !== '')
        .flatMap((line) => {
          const { values, timestamps } = JSON.parse(line) as {
            readonly values: readonly number[];
            readonly timestamps: readonly number[];
          };
          return values.map((value, index): StoredPoint => [timestamps[index] ?? 0, value]);
        });
    },
  };
}

/** Starts InfluxDB 1 with an empty database; it is stopped when the test ends. */
export async function startInfluxDb(t: Owner): Promise<TimeSeriesDatabase> {
  const directory = path.join(createTemporaryDirectory(t), 'influx');
  mkdirSync(directory);
  const [port = 0, backupPort = 0] = await findFreePorts(2);
  const url = `http://127.0.0.1:${port}`;
  const file = path.join(directory, 'influx.conf');
  writeFileSync(
    file,
    `reporting-disabled = true
bind-address = "127.0.0.1:${backupPort}"
[meta]
dir = "${directory}/meta"
[data]
dir = "${directory}/data"
wal-dir = "${directory}/wal"
[http]
bind-address = "127.0.0.1:${port}"
log-enabled = false
[logging]
level = "error"
`,
  );
  await startDatabase(t, `${url}/ping`, 'influxd', ['-config', file]);
  const query = async (text: string, method: 'GET' | 'POST'): Promise<unknown> => {
    const parameters = new URLSearchParams({ db: 'plant', epoch: 'ms', q: text });
    return (await fetch(`${url}/query?${parameters.toString()}`, { method })).json();
  };
  await query('CREATE DATABASE plant', 'POST');
  return {
    port,
    writePath: '/write?db=plant',
    async read(asset, channel) {
      const answer = (await query(`SELECT "${channel}" FROM "${asset}"`, 'GET')) as {
        readonly results: readonly {
          readonly series?: readonly { readonly values: readonly StoredPoint[] }[];
        }[];
      };
      return answer.results.flatMap(({ series = [] }) => series.flatMap(({ values }) => values));
    },
  };
}

async function startDatabase(
  t: Owner,
  healthUrl: string,
  program: string,
  parameters: readonly string[],
): Promise<void> {
  const child = spawn(program, parameters, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const closed = once(child, 'close');
  t.after(async () => {
    child.kill('SIGTERM');
    await closed;
  });
  while (!(await isHealthy(healthUrl))) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${errors}`);
    await wait(PAUSE_MS);
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
