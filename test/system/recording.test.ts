import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

import { systemClock } from '../../daemon/base/clock.ts';
import { openStore } from '../../daemon/base/store/store.ts';
import { Cursors, cursorMigrations } from '../../daemon/plant/journal/cursors.ts';
import { Journal } from '../../daemon/plant/journal/journal.ts';
import type { NumberedEntry } from '../../daemon/plant/journal/sample.ts';
import { startGateway } from '../support/gateway.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { createMemoryLogger } from '../support/memory-logger.ts';
import { SessionClient } from '../support/https-client.ts';
import { answerOf } from '../support/answer-of.ts';
import { listHistory, readHistory } from '../../daemon/interface/plant/history.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { readEntries } from '../support/journal-entries.ts';

const PASSWORD = 'recorded-turbine-password';

function plantOn(port: number, recorders: readonly object[]): Record<string, unknown> {
  const level = {
    name: 'level',
    type: 'READ',
    valueType: 'INTEGER',
    address: { table: 'HOLDING_REGISTERS', offset: 0, dataType: 'UINT16' },
  };
  return {
    provision: {
      drivers: [{ pid: 'plc', type: 'modbus', host: '127.0.0.1', port }],
      assets: [{ pid: 'pump', driver: 'plc', channels: [level] }],
      recorders,
    },
  };
}

const EVERY_100_MS = [{ pid: 'fast', intervalMs: 100, assets: [{ asset: 'pump' }] }];

const journalOf = (dataDirectory: string): string => path.join(dataDirectory, 'recording/journal');

const sizeOf = (directory: string): number =>
  existsSync(directory)
    ? readdirSync(directory).reduce((sum, name) => sum + statSync(path.join(directory, name)).size, 0)
    : 0;

/** Waits until a journal has grown by some frames. */
async function grow(directory: string, bytes: number): Promise<void> {
  const before = sizeOf(directory);
  while (sizeOf(directory) < before + bytes) await wait(20);
}

/** Reads a journal that no daemon has open. */
async function readJournal(t: Owner, directory: string): Promise<readonly NumberedEntry[]> {
  const store = openStore(':memory:', [cursorMigrations]);
  t.after(() => store.close());
  const journal = await Journal.open({
    directory,
    cursors: new Cursors(store),
    bounds: () => ({ maximumBytes: 2 ** 40, maximumAgeMs: 2 ** 45, reservedBytes: 0 }),
    isClockSet: () => true,
    logger: createMemoryLogger(),
    clock: systemClock,
  });
  const entries = await readEntries(journal, { sequence: 0, timeMs: 0 }, 100_000);
  await journal.close();
  return entries;
}

test(
  'what was on disk when the daemon was killed is there, and a restart goes on after it',
  needs('libmodbus'),
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const config = plantOn(device.port, EVERY_100_MS);
    const first = await startGateway(t, { config });
    const directory = journalOf(first.dataDirectory);
    await grow(directory, 300);
    first.process.kill('SIGKILL');
    await first.stop();

    const second = await startGateway(t, { config, directory: first.directory });
    await grow(directory, 300);
    assert.equal(await second.stop(), 0);

    const entries = await readJournal(t, directory);
    const gaps = entries.flatMap(({ gap }) => gap ?? []);
    assert.deepEqual(
      gaps.map(({ reason, count }) => [reason, count]),
      [['STOPPED', 0]],
    );
    const samples = entries.flatMap(({ sample }) => sample ?? []);
    assert.ok(samples.length > 10, `${samples.length} samples`);
    for (const { series, recorders, quality } of samples) {
      assert.deepEqual(series, { asset: 'pump', channel: 'level', valueType: 'INTEGER' });
      assert.deepEqual(recorders, ['fast']);
      assert.equal(quality, 'GOOD');
    }
    assert.deepEqual(
      entries.map(({ sequence }) => sequence),
      entries.map((_, index) => index + 1),
    );
  },
);

test(
  'without recorders nothing is written, and with the first one the journal begins',
  needs('libmodbus'),
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const gateway = await startGateway(t, { config: plantOn(device.port, []) });
    assert.ok(!existsSync(path.join(gateway.dataDirectory, 'recording')));
    await gateway.reload(plantOn(device.port, EVERY_100_MS));
    const directory = journalOf(gateway.dataDirectory);
    await grow(directory, 200);
    assert.equal(statSync(directory).mode & 0o777, 0o700);
  },
);

test(
  'what was recorded is read over REST, also after the daemon was killed',
  needs('libmodbus'),
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const { provision } = plantOn(device.port, EVERY_100_MS) as { readonly provision: object };
    const identities = [
      { name: 'historian', permissions: ['rest.assets', 'rest.admin'], password: PASSWORD },
    ];
    const config = { provision: { ...provision, identities } };
    const first = await startGateway(t, { config });
    const beginMs = Date.now();
    await grow(journalOf(first.dataDirectory), 300);
    first.process.kill('SIGKILL');
    await first.stop();

    const second = await startGateway(t, { config, directory: first.directory });
    const client = new SessionClient({ port: second.httpsPorts[0] ?? 0 });
    await client.login('historian', PASSWORD);
    const readPage = async (query: string) =>
      answerOf(readHistory, await client.send('GET', `/services/history/v1/pump?from=${beginMs}${query}`));
    let page = await readPage('');
    while (!page.gaps.some(({ reason }) => reason === 'STOPPED')) {
      await wait(50);
      page = await readPage('');
    }
    const samples = page.samples ?? [];
    assert.ok(samples.length > 10, `${samples.length} samples`);
    assert.ok(samples.every(({ channel, quality }) => channel === 'level' && quality === 'GOOD'));
    const times = samples.map(({ timestamp }) => timestamp);
    assert.deepEqual(
      times,
      times.toSorted((one, other) => one - other),
    );
    assert.equal(new Set(times).size, times.length);
    const { buckets = [] } = await readPage('&bucketMs=60000&aggregate=count');
    assert.ok(buckets.length > 0 && buckets.every(({ value, count }) => value === count));

    const overview = answerOf(listHistory, await client.send('GET', '/services/history/v1'));
    assert.deepEqual(
      overview.recorders.map(({ recorder }) => recorder),
      ['fast'],
    );
    // Also of samples that are not stored yet.
    const { oldest = Infinity, bytes = 0 } = overview.recorders[0] ?? {};
    assert.ok(oldest <= (times[0] ?? 0), `${oldest} is later than ${times[0]}`);
    assert.ok(bytes > samples.length, `${bytes} bytes of ${samples.length} samples`);
    assert.deepEqual(
      overview.consumers?.map(({ consumer }) => consumer),
      ['history'],
    );
    // What was recorded stays readable without a recorder.
    const removed = await client.send('DELETE', '/services/configuration/v1/recorders/fast', {
      headers: { 'If-Match': '*' },
    });
    assert.equal(removed.status, 200, removed.text);
    assert.ok(((await readPage('')).samples ?? []).length >= samples.length);
    const unknown = await client.send('GET', '/services/history/v1/nothing');
    assert.equal(unknown.status, 404);
    const bad = await client.send('GET', '/services/history/v1/pump?from=yesterday');
    assert.equal(bad.status, 400);
    assert.equal(await second.stop(), 0);
  },
);
