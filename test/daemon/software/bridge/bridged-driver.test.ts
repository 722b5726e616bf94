import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readForBundle } from '../../../../daemon/software/bridge/asset-calls.ts';
import type { ChannelRecord } from '../../../../daemon/channel/channel-record.ts';
import { qualityOf } from '../../../../daemon/channel/quality.ts';
import { createBundle } from '../../../support/bundle-program.ts';
import { createBridgeBench } from '../../../support/bundle-program-bench.ts';
import { createScriptedFactory } from '../../../support/scripted-driver.ts';

/** Returns a bundle with a driver of type `memory` that keeps written values; `extra` follows it in `activate`. */
function memoryDriver(driver = '', extra = ''): string {
  return `
    const values = new Map([
      ['int', 7], ['long', 9007199254740993n], ['float', 1.5], ['nan', NaN], ['text', 'grün'],
      ['bytes', new Uint8Array([0, 255])], ['flag', true], ['wrong', 'no number'],
    ]);
    export async function activate({ registerDriver, assets, logger }) {
      await registerDriver({
        type: 'memory',
        settings: { type: 'object', properties: {
          unit: { type: 'integer', minimum: 1, default: 5 },
          code: { type: 'string', writeOnly: true },
        } },
        address: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
        create: (settings, onLost) => ({
          read: (channels) => channels.map(({ address: { at } }) => {
            if (at === 'settings') return { value: JSON.stringify(settings) };
            if (at === 'none') return { failure: { code: 'DEVICE_SAYS_NO', message: 'no such place' }, timestampMs: 5 };
            return { value: values.get(at) };
          }),
          write: (requests) => requests.map(({ channel, value }) => {
            if (channel.address.at === 'none') return { failure: { code: 'DEVICE_SAYS_NO', message: 'no such place' } };
            values.set(channel.address.at, value);
            return {};
          }),
          ${driver}
        }),
      });
      ${extra}
    }`;
}

const channel = (name: string, valueType: string, at = name) => ({
  name,
  type: 'READ_WRITE',
  valueType,
  address: { at },
});

const PLANT = {
  drivers: [{ pid: 'm', type: 'memory', callDeadlineMs: 60_000 }],
  assets: [
    {
      pid: 'a',
      driver: 'm',
      channels: [
        channel('int', 'INTEGER'),
        channel('long', 'LONG'),
        channel('float', 'FLOAT'),
        channel('text', 'STRING'),
        channel('bytes', 'BYTE_ARRAY'),
        channel('flag', 'BOOLEAN'),
        channel('none', 'INTEGER'),
        channel('wrong', 'INTEGER'),
        channel('settings', 'STRING'),
      ],
    },
  ],
};

function shorten(records: readonly ChannelRecord[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(records.map(({ name, value, failure }) => [name, failure?.code ?? value]));
}

test('a driver of a bundle returns values of every type, and failures of single channels', async (t) => {
  const bench = await createBridgeBench(t);
  await bench.supervisor.start(createBundle(t, { source: memoryDriver() }));
  assert.equal(await bench.configure(PLANT), undefined);
  const { records } = await bench.registry.get('a').readAll();
  assert.deepEqual(shorten(records), {
    int: 7,
    long: 9007199254740993n,
    float: 1.5,
    text: 'grün',
    bytes: new Uint8Array([0, 255]),
    flag: true,
    none: 'DEVICE_SAYS_NO',
    wrong: 'VALUE_TYPE_MISMATCH',
    settings: '{"unit":5}',
  });
  assert.equal(records.find(({ name }) => name === 'none')?.timestampMs, 5);
});

test('a driver of a bundle writes values of every type', async (t) => {
  const bench = await createBridgeBench(t);
  await bench.supervisor.start(createBundle(t, { source: memoryDriver() }));
  await bench.configure(PLANT);
  const asset = bench.registry.get('a');
  const written = await asset.write([
    { name: 'long', valueType: 'LONG', value: -(2n ** 63n) },
    { name: 'float', valueType: 'FLOAT', value: NaN },
    { name: 'bytes', valueType: 'BYTE_ARRAY', value: new Uint8Array([1]) },
    { name: 'none', valueType: 'INTEGER', value: 1 },
  ]);
  assert.equal(written[3]?.failure?.code, 'DEVICE_SAYS_NO');
  const { records } = await asset.read(['long', 'float', 'bytes']);
  assert.deepEqual(shorten(records), { long: -(2n ** 63n), float: NaN, bytes: new Uint8Array([1]) });
});

test('a write with too few outcomes from the bundle stops the remaining messages of the same call', async (t) => {
  const bench = await createBridgeBench(t);
  const source = memoryDriver(`
    write: (requests) => {
      for (const { channel, value } of requests) values.set(channel.address.at, value);
      return [];
    },`);
  await bench.supervisor.start(createBundle(t, { source }));
  const names = Array.from({ length: 201 }, (_, index) => `c${index}`);
  const channels = names.map((name) => channel(name, 'INTEGER'));
  await bench.configure({ ...PLANT, assets: [{ pid: 'a', driver: 'm', channels }] });
  const written = await bench.registry
    .get('a')
    .write(names.map((name) => ({ name, valueType: 'INTEGER', value: 1 })));
  assert.match(written[199]?.failure?.message ?? '', /outcome unknown$/);
  assert.match(written[200]?.failure?.message ?? '', /not sent$/);
  const { records } = await bench.registry.get('a').read(['c199', 'c200']);
  assert.deepEqual(
    records.map(({ value }) => value),
    [1, undefined],
  );
});

test('a configuration is checked against the schemas that the bundle declares', async (t) => {
  const bench = await createBridgeBench(t);
  await bench.supervisor.start(createBundle(t, { source: memoryDriver() }));
  const faults = await bench.configure({
    drivers: [{ pid: 'm', type: 'memory', unit: 0, other: 1 }],
    assets: [
      { pid: 'a', driver: 'm', channels: [{ name: 'x', type: 'READ', valueType: 'LONG', address: {} }] },
    ],
  });
  assert.deepEqual(
    faults?.map(({ path }) => path.join('.')),
    ['drivers.0.unit', 'drivers.0.other', 'assets.0.channels.0.address.at'],
  );
});

test('when the bundle exits its channels fail, and they recover with it', async (t) => {
  const bench = await createBridgeBench(t);
  const source = memoryDriver(`write() { process.exit(1); },`);
  await bench.supervisor.start(createBundle(t, { source }));
  await bench.configure(PLANT);
  const asset = bench.registry.get('a');
  assert.equal(shorten((await asset.read(['int'])).records)['int'], 7);
  const [write] = await asset.write([{ name: 'int', valueType: 'INTEGER', value: 1 }]);
  assert.match(write?.failure?.message ?? '', /outcome unknown$/);
  const failed = await bench.awaitStatus(({ state }) => state === 'FAILED');
  const [record] = (await asset.read(['int'])).records;
  assert.ok(record?.failure !== undefined, 'no value without the bundle');
  await bench.awaitStatus(({ state }) => state === 'ACTIVE', bench.states.indexOf(failed));
  while ((await asset.read(['int'])).records[0]?.value !== 7)
    await new Promise((resolve) => setTimeout(resolve, 50));
});

test('failures of a driver show neither paths of the gateway nor stacks', async (t) => {
  const bench = await createBridgeBench(t);
  const source = memoryDriver(`
    connect() {
      if (values.get('int') === 1) throw new Error("EACCES: permission denied, open '/var/lib/x/key.pem'");
    },
    read() {
      values.set('int', 1);
      throw new Error('cannot parse /opt/x/table.csv\\n    at parse (file:///opt/x/main.mjs:1:2)');
    },
    write: () => [{ failure: { code: 'NO_FILE', message: '/opt/x/table.csv is missing' } }],`);
  await bench.supervisor.start(createBundle(t, { source }));
  await bench.configure(PLANT);
  const asset = bench.registry.get('a');
  const messageOf = ([record]: readonly ChannelRecord[]): string | undefined => record?.failure?.message;
  const written = await asset.write([{ name: 'int', valueType: 'INTEGER', value: 2 }]);
  assert.equal(messageOf(written), 'table.csv is missing');
  assert.equal(messageOf((await asset.read(['int'])).records), 'cannot parse table.csv');
  while (!/key\.pem/.test(messageOf((await asset.read(['int'])).records) ?? ''))
    await new Promise((resolve) => setTimeout(resolve, 50));
  assert.match(
    messageOf((await asset.read(['int'])).records) ?? '',
    /^EACCES: permission denied, open 'key\.pem'/,
  );
});

test('a driver that never answers affects only its own channels', async (t) => {
  const bench = await createBridgeBench(t);
  const source = memoryDriver(`read: () => new Promise(() => {}), write: () => new Promise(() => {}),`);
  await bench.supervisor.start(createBundle(t, { source }));
  await bench.configure({ ...PLANT, drivers: [{ pid: 'm', type: 'memory', callDeadlineMs: 2000 }] });
  const asset = bench.registry.get('a');
  assert.equal(shorten((await asset.read(['int'])).records)['int'], 'DEADLINE_EXCEEDED');
  const [write] = await asset.write([{ name: 'int', valueType: 'INTEGER', value: 1 }]);
  assert.match(write?.failure?.message ?? '', /outcome unknown$/);
});

for (const { name, answer } of [
  { name: 'too few readings', answer: '[]' },
  { name: 'a number instead of a list', answer: '7' },
  { name: 'invalid values', answer: '[{ value: { a: 1 } }]' },
  { name: 'a failure without a code', answer: '[{ failure: { message: "x" } }]' },
]) {
  test(`an answer with ${name} makes the channels fail`, async (t) => {
    const bench = await createBridgeBench(t);
    await bench.supervisor.start(createBundle(t, { source: memoryDriver(`read: () => (${answer}),`) }));
    await bench.configure(PLANT);
    const [record] = (await bench.registry.get('a').read(['int'])).records;
    assert.ok(record?.failure !== undefined);
    assert.equal(bench.supervisor.list()[0]?.state, 'ACTIVE');
  });
}

test('a read of thousands of channels is split into messages', async (t) => {
  const bench = await createBridgeBench(t);
  await bench.supervisor.start(createBundle(t, { source: memoryDriver() }));
  const channels = Array.from({ length: 2500 }, (_, index) => channel(`c${index}`, 'INTEGER', 'int'));
  await bench.configure({ ...PLANT, assets: [{ pid: 'a', driver: 'm', channels }] });
  const { records } = await bench.registry.get('a').readAll();
  assert.equal(records.length, 2500);
  assert.ok(records.every(({ value }) => value === 7));
});

test('a bundle cannot replace a driver type of the gateway', async (t) => {
  const bench = await createBridgeBench(t, { builtIn: [createScriptedFactory()] });
  const source = memoryDriver().replace(`type: 'memory'`, `type: 'scripted'`);
  await assert.rejects(bench.supervisor.start(createBundle(t, { source })), {
    detail: /"scripted" already exists/,
  });
});

test('a bundle cannot replace a driver type of another bundle', async (t) => {
  const bench = await createBridgeBench(t);
  await bench.supervisor.start(createBundle(t, { source: memoryDriver(), name: 'first' }));
  const second = createBundle(t, { source: memoryDriver(), name: 'second' });
  await assert.rejects(bench.supervisor.start(second), { detail: /"memory" already exists/ });
});

test('a restarted gateway knows the driver types of bundles that do not run yet', async (t) => {
  const first = await createBridgeBench(t);
  const bundle = createBundle(t, { source: memoryDriver() });
  await first.supervisor.start(bundle);
  await first.supervisor.close();
  const second = await createBridgeBench(t, { kindsFile: first.kindsFile });
  assert.equal(await second.configure(PLANT), undefined);
  const asset = second.registry.get('a');
  assert.equal(shorten((await asset.read(['int'])).records)['int'], 'BUNDLE_NOT_RUNNING');
  await second.supervisor.start(bundle);
  while ((await asset.read(['int'])).records[0]?.value !== 7)
    await new Promise((resolve) => setTimeout(resolve, 50));
});

test('while the gateway starts, it accepts settings of an earlier version of a bundle', async (t) => {
  const bench = await createBridgeBench(t);
  await bench.supervisor.start(createBundle(t, { source: memoryDriver() }));
  const outdated = { ...PLANT, drivers: [{ pid: 'm', type: 'memory', unit: 'seven' }] };
  bench.mode.isLenient = true;
  assert.equal(await bench.configure(outdated), undefined);
  const [record] = (await bench.registry.get('a').read(['int'])).records;
  assert.equal(record?.failure?.code, 'DRIVER_SETTINGS_INVALID');
  bench.mode.isLenient = false;
  assert.notEqual(await bench.configure(outdated), undefined);
});

test('a driver of a bundle gives a value a quality and a status, and a bundle that reads it sees both', async (t) => {
  const source = `
    export async function activate({ registerDriver, assets, logger }) {
      await registerDriver({
        type: 'memory',
        settings: { type: 'object' },
        address: { type: 'object', properties: { at: { type: 'string' } } },
        create: () => ({
          read: (channels) => channels.map(({ address: { at } }) => ({
            int: { value: 1, quality: 'UNCERTAIN', status: 'StaleSince.3_s' },
            flag: { value: true },
            none: { failure: { code: 'DEVICE_SAYS_NO', message: 'no', status: 'ERR-17' } },
          })[at] ?? { value: 2, status: 'has a blank' }),
        }),
      });
    }`;
  const bench = await createBridgeBench(t);
  await bench.supervisor.start(createBundle(t, { source }));
  const channels = [channel('int', 'INTEGER'), channel('flag', 'BOOLEAN'), channel('none', 'INTEGER')];
  const [asset] = PLANT.assets;
  assert.equal(await bench.configure({ ...PLANT, assets: [{ ...asset, channels }] }), undefined);
  const { records } = await bench.registry.get('a').readAll();
  assert.deepEqual(records.map(qualityOf), [
    { quality: 'UNCERTAIN', statusCode: 'StaleSince.3_s' },
    { quality: 'GOOD', statusCode: undefined },
    { quality: 'BAD', statusCode: 'ERR-17' },
  ]);
  const caller = bench.bundleIdentities.callerOf({ id: { name: 'com.example.reader' } });
  const seen = await readForBundle({ access: bench.access, log: bench.log, caller }, { asset: 'a' });
  assert.deepEqual(
    seen.map(({ quality, statusCode }) => [quality, statusCode]),
    [
      ['UNCERTAIN', 'StaleSince.3_s'],
      ['GOOD', undefined],
      ['BAD', 'ERR-17'],
    ],
  );
  assert.equal(
    await bench.configure({ ...PLANT, assets: [{ ...asset, channels: [channel('other', 'INTEGER')] }] }),
    undefined,
  );
  const { records: refused } = await bench.registry.get('a').readAll();
  assert.equal(refused[0]?.failure?.code, 'DRIVER_FAULT');
});
