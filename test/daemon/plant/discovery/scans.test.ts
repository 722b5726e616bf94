import assert from 'node:assert/strict';
import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { DocumentError } from '../../../../daemon/base/document-error.ts';
import type { Proposal, ScanEvent, Scanning } from '../../../../daemon/channel/discovery.ts';
import { ConnectionError } from '../../../../daemon/channel/driver-errors.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { openScanBench } from './scan-bench.ts';

const REQUEST = { options: {}, limitSeconds: 60 };
const NOTHING: Proposal = { assets: [], notes: [] };

function follow(): Scanning & { readonly events: ScanEvent[]; readonly stop: () => void } {
  const stopping = new AbortController();
  const events: ScanEvent[] = [];
  return {
    events,
    signal: stopping.signal,
    stop: () => stopping.abort(),
    report: (event) => void events.push(event),
  };
}

test('a scan of a configured connection uses its driver, and gives its options with their defaults', async (t) => {
  const { scans, made, bench } = await openScanBench(t);
  let given: unknown;
  bench.onScan = (options) => {
    given = options;
    return Promise.resolve({ assets: [{ pid: 'pump' }], notes: [{ message: 'one', reasons: [] }] });
  };
  const result = await scans.prepareConfigured('line', REQUEST).run(follow());
  assert.deepEqual(given, { depth: 1 });
  assert.equal(made.length, 1);
  assert.equal(result.isComplete, true);
  assert.deepEqual(result.connection, { pid: 'line', type: 'scanned' });
  assert.deepEqual(
    result.assets.map(({ pid }) => pid),
    ['pump'],
  );
  assert.deepEqual(result.notes, ['one']);
  assert.deepEqual(result.details, [{ message: 'one', reasons: [] }]);
});

test('settings of a device that is configured are scanned over its connection', async (t) => {
  const { scans, made } = await openScanBench(t);
  const scan = await scans.prepare('scanned', { line: '/nonexistent/one' }, REQUEST);
  const { connection } = await scan.run(follow());
  assert.deepEqual(connection, { pid: 'line', type: 'scanned' });
  assert.equal(made.length, 1);
});

test('settings that a device needs become those of a new connection, and what the user set stays', async (t) => {
  const { scans, bench } = await openScanBench(t);
  bench.onScan = () => Promise.resolve({ ...NOTHING, settings: { speed: 1, delay: 2 } });
  const scan = await scans.prepare('scanned', { line: '/nonexistent/new' }, REQUEST);
  const { connection } = await scan.run(follow());
  assert.deepEqual(connection?.settings, { line: '/nonexistent/new', speed: 9600, delay: 2 });
  const configured = await scans.prepareConfigured('line', REQUEST).run(follow());
  assert.deepEqual(configured.connection, { pid: 'line', type: 'scanned' });
});

test('a search that reads the devices itself is not followed by a scan', async (t) => {
  const { scans, made } = await openScanBench(t);
  const search = async (line: string) => (await scans.prepare('searched', { line }, REQUEST)).run(follow());
  const { length } = made;
  const { connection, assets } = await search('/nonexistent/new');
  assert.deepEqual(connection, { type: 'searched', settings: { line: '/nonexistent/new', speed: 300 } });
  assert.deepEqual(
    assets.map(({ pid }) => pid),
    ['meter'],
  );
  const none = await search('silent');
  assert.deepEqual([none.connection, none.notes], [undefined, ['nothing answers']]);
  assert.equal(made.length, length);
});

test('a line that is configured is known by its other names', async (t) => {
  const folder = createTemporaryDirectory(t);
  const [line, alias] = [path.join(folder, 'line'), path.join(folder, 'by-id')];
  writeFileSync(line, '');
  symlinkSync(line, alias);
  const { scans } = await openScanBench(t, {}, alias);
  const { connection } = await (await scans.prepare('scanned', { line }, REQUEST)).run(follow());
  assert.deepEqual(connection, { pid: 'line', type: 'scanned' });
});

test('a device that is not configured gets a connection for the scan with the settings that were found', async (t) => {
  const { scans, made, searches } = await openScanBench(t);
  const scan = await scans.prepare('scanned', { line: 'new' }, REQUEST);
  const { connection } = await scan.run(follow());
  assert.deepEqual(connection, { type: 'scanned', settings: { line: 'new', speed: 9600 } });
  assert.equal(searches.length, 1);
  assert.deepEqual([made[1]?.connects, made[1]?.disconnects], [1, 1]);
});

test('no settings that are found are a result without a connection', async (t) => {
  const { scans, made } = await openScanBench(t);
  const scan = await scans.prepare('scanned', { line: 'silent' }, REQUEST);
  const result = await scan.run(follow());
  assert.deepEqual([result.connection, result.assets, result.isComplete], [undefined, [], true]);
  assert.equal(made.length, 1);
});

test('a line that a driver of another kind has is refused', async (t) => {
  const { scans } = await openScanBench(t);
  await assert.rejects(scans.prepare('scanned', { line: '/nonexistent/two' }, REQUEST), {
    code: 'DEVICE_IN_USE',
  });
});

test('a device is scanned once at a time, configured or not', async (t) => {
  const { scans, bench } = await openScanBench(t);
  for (const prepare of [
    () => scans.prepare('scanned', { line: '/nonexistent/one' }, REQUEST),
    () => scans.prepare('scanned', { line: 'new' }, REQUEST),
  ]) {
    const held = Promise.withResolvers<Proposal>();
    bench.onScan = () => held.promise;
    const [first, second] = [await prepare(), await prepare()];
    const running = first.run(follow());
    await assert.rejects(second.run(follow()), { code: 'SCAN_RUNNING' });
    await assert.rejects(prepare(), { code: 'SCAN_RUNNING' });
    held.resolve(NOTHING);
    await running;
    await (await prepare()).run(follow());
  }
});

test('a kind of driver that finds no devices, and options that are wrong, are refused', async (t) => {
  const { scans } = await openScanBench(t);
  assert.throws(() => scans.prepareConfigured('other', REQUEST), { code: 'SCAN_UNSUPPORTED' });
  assert.throws(() => scans.prepareConfigured('none', REQUEST), { code: 'DRIVER_UNKNOWN' });
  await assert.rejects(scans.prepare('none', {}, REQUEST), { code: 'SCAN_UNSUPPORTED' });
  const isFaultAt = (place: string) => (error: unknown) =>
    error instanceof DocumentError && error.detail.startsWith(place);
  const wrong = { ...REQUEST, options: { depth: 0 } };
  assert.throws(() => scans.prepareConfigured('line', wrong), isFaultAt('options.depth: '));
  await assert.rejects(scans.prepare('scanned', { lime: 'new' }, REQUEST), isFaultAt('settings.'));
});

test('the limit and the client each end a scan, which is not complete then', async (t) => {
  const { scans, bench, clock } = await openScanBench(t);
  bench.onScan = (_options, { signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(NOTHING)));
  const limited = scans.prepareConfigured('line', { ...REQUEST, limitSeconds: 5 }).run(follow());
  await clock.nextTurn();
  clock.advance(5000);
  assert.equal((await limited).isComplete, false);
  const client = follow();
  const left = scans.prepareConfigured('line', REQUEST).run(client);
  await clock.nextTurn();
  client.stop();
  assert.equal((await left).isComplete, false);
});

test('a scan ends with its connection', async (t) => {
  const { scans, registry, bench } = await openScanBench(t);
  const begun = Promise.withResolvers<undefined>();
  bench.onScan = (_options, { signal }) =>
    new Promise((resolve) => {
      begun.resolve(undefined);
      signal.addEventListener('abort', () => resolve(NOTHING));
    });
  const scan = scans.prepareConfigured('line', REQUEST).run(follow());
  await begun.promise;
  await registry.apply({ drivers: [], assets: [] });
  assert.deepEqual((await scan).assets, []);
});

test('a device that was found and lets nobody in yet is a result with its settings', async (t) => {
  const { scans, bench } = await openScanBench(t);
  const refusal = new ConnectionError({ code: 'OPCUA_SERVER_CERTIFICATE', detail: 'it is not trusted' });
  bench.onScan = () => Promise.reject(refusal);
  const found = await (await scans.prepare('scanned', { line: 'shut' }, REQUEST)).run(follow());
  assert.deepEqual(found, {
    isComplete: true,
    connection: { type: 'scanned', settings: { line: 'shut', speed: 9600 }, isRefusing: true },
    assets: [],
    notes: ['The scan stopped early: it is not trusted.'],
    details: [
      {
        message: 'The scan stopped early: it is not trusted.',
        reasons: [
          { code: 'SCAN_STOPPED_EARLY', parameters: {} },
          { code: 'OPCUA_SERVER_CERTIFICATE', parameters: { message: 'it is not trusted' } },
        ],
      },
    ],
  });
  await assert.rejects((await scans.prepare('scanned', { line: 'new' }, REQUEST)).run(follow()), refusal);
});

test('parts that have a template become assets of it, others one asset of the device', async (t) => {
  const { scans, bench } = await openScanBench(t, { 'model 1': 'meter', 'model 2': 'inverter' });
  const parts = (...numbers: readonly number[]) =>
    numbers.map((number) => ({ describes: `model ${number}`, parameters: { at: number } }));
  bench.onScan = () =>
    Promise.resolve({
      assets: [
        { pid: 'ACME / M+1', displayName: 'ACME M', parts: parts(1, 7) },
        { pid: 'both', parts: parts(1, 2) },
        { pid: 'none', parts: parts(7), channels: [{ name: 'x' }] },
        { pid: 'none' },
        { pid: '__' },
      ],
      notes: [],
    });
  const { assets } = await scans.prepareConfigured('line', REQUEST).run(follow());
  assert.deepEqual(
    assets.map(({ pid, template, parameters, channels }) => [
      pid,
      template,
      parameters?.['at'],
      channels?.length,
    ]),
    [
      ['ACME-M-1', 'meter', 1, undefined],
      ['both-meter', 'meter', 1, undefined],
      ['both-inverter', 'inverter', 2, undefined],
      ['none', undefined, undefined, 1],
      ['none-2', undefined, undefined, undefined],
      ['device', undefined, undefined, undefined],
    ],
  );
});
