import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import type { Bundle } from '../../../../daemon/software/bundle/bundle.ts';
import { createBundle } from '../../../support/bundle-program.ts';
import { createBridgeBench, createExampleBundle } from '../../../support/bundle-program-bench.ts';
import { startLineMeter } from '../../../support/line-meter.ts';
import { createScriptedFactory } from '../../../support/scripted-driver.ts';

type BridgeBench = Awaited<ReturnType<typeof createBridgeBench>>;

/** Returns the log messages of bundles, sorted. */
function messagesOf({ lines }: BridgeBench): readonly string[] {
  return lines
    .filter(({ event }) => event === 'bundle.logged')
    .map(({ fields }) => String(fields['message']))
    .toSorted();
}

/** Returns a bundle that runs `body` with its context and logs the outcome. */
function probing(body: string): string {
  return `
    export async function activate(context) {
      const outcome = await (async ({ assets, registerDriver, registerAuthenticationProvider }) => { ${body} })(context)
        .catch((error) => ({ code: error.cause ?? error.code, message: error.message }));
      context.logger.info(JSON.stringify(outcome, (_key, value) => typeof value === 'bigint' ? value + 'n' : value) ?? 'undefined');
    }`;
}

async function probe(t: TestContext, body: string): Promise<unknown> {
  const factory = createScriptedFactory();
  const bench = await createBridgeBench(t, { builtIn: [factory] });
  const channels = [
    { name: 'level', type: 'READ_WRITE', valueType: 'LONG', address: {} },
    { name: 'count', type: 'READ_WRITE', valueType: 'INTEGER', address: {} },
    { name: 'checked', type: 'READ_WRITE', valueType: 'INTEGER', write: { verify: {} }, address: {} },
    { name: 'set', type: 'WRITE', valueType: 'BOOLEAN', address: {} },
  ];
  const drivers = [{ pid: 'x', type: 'scripted', line: 'x' }];
  const faults = await bench.configure({ drivers, assets: [{ pid: 'tank', driver: 'x', channels }] });
  assert.equal(faults, undefined);
  const device = factory.made.get('x')?.[0];
  device?.values.set('level', 9007199254740993n).set('count', 0).set('checked', 0);
  await bench.supervisor.start(createBundle(t, { source: probing(body), permissions: 'authentication' }));
  const line = bench.lines.find(({ event }) => event === 'bundle.logged');
  return JSON.parse(String(line?.fields['message']));
}

test('a bundle reads assets, 64-bit integers with every digit', async (t) => {
  const [level, unknown] = (await probe(t, `return assets.read('tank', ['level', 'other']);`)) as {
    value?: string;
    valueType?: string;
    failure?: { code: string };
  }[];
  assert.equal(level?.value, '9007199254740993n');
  assert.equal(level?.valueType, 'LONG');
  assert.equal(unknown?.failure?.code, 'CHANNEL_UNKNOWN');
});

test('a bundle writes assets and reads back what it wrote', async (t) => {
  const outcome = await probe(
    t,
    `const [written] = await assets.write('tank', [{ name: 'count', type: 'INTEGER', value: 7 }]);
     const [read] = await assets.read('tank', ['count']);
     return [read.value, written.failure, written.outcome, read.quality];`,
  );
  assert.deepEqual(outcome, [7, null, 'ACKNOWLEDGED', 'GOOD']);
});

test('a write with a key is done once: the same key gets the first outcome again', async (t) => {
  const outcome = await probe(
    t,
    `const write = (value, key) => assets.write('tank', [{ name: 'count', type: 'INTEGER', value }], { key });
     const [first] = await write(7, 'a');
     await write(8, 'b');
     const [again] = await write(7, 'a');
     const [read] = await assets.read('tank', ['count']);
     const reused = await write(9, 'a').catch((error) => error.cause);
     return [first.outcome, again.outcome, again.timestampMs === first.timestampMs, read.value, reused];`,
  );
  assert.deepEqual(outcome, ['ACKNOWLEDGED', 'ACKNOWLEDGED', true, 8, 'IDEMPOTENCY_KEY_REUSED']);
});

test('a write with a key that was refused before anything was sent may be repeated', async (t) => {
  const outcome = await probe(
    t,
    `const write = (type) => assets.write('tank', [{ name: 'count', type, value: 7 }], { key: 'a' });
     const refused = await write('BOOLEAN').catch((error) => error.cause);
     const [written] = await write('INTEGER');
     return [refused, written.outcome];`,
  );
  assert.deepEqual(outcome, ['VALUE_INVALID', 'ACKNOWLEDGED']);
});

test('a bundle gets what a channel holds after a write, where it is read back', async (t) => {
  const outcome = await probe(
    t,
    `const [written] = await assets.write('tank', [{ name: 'checked', type: 'INTEGER', value: 7 }]);
     return [written.outcome, written.value, written.readBack];`,
  );
  assert.deepEqual(outcome, ['VERIFIED', 7, 7]);
});

test('a bundle compares and sets: a write over another value than it names is not sent', async (t) => {
  const outcome = await probe(
    t,
    `const write = (value, ifValue) => assets.write('tank', [{ name: 'count', type: 'INTEGER', value, ifValue }]);
     await write(7);
     const [[lost], [won]] = [await write(8, 6), await write(9, 7)];
     return [lost.outcome, lost.failure.code, won.outcome];`,
  );
  assert.deepEqual(outcome, ['NOT_SENT', 'WRITE_VALUE_CHANGED', 'ACKNOWLEDGED']);
});

for (const { name, body, code } of [
  { name: 'reads an unknown asset', body: `return assets.read('nothing');`, code: 'ASSET_UNKNOWN' },
  {
    name: 'writes a value of another type',
    body: `return assets.write('tank', [{ name: 'count', type: 'INTEGER', value: 'many' }]);`,
    code: 'VALUE_INVALID',
  },
  {
    name: 'names an unknown value type',
    body: `return assets.write('tank', [{ name: 'count', type: 'TEXT', value: 'a' }]);`,
    code: 'VALUE_INVALID',
  },
  { name: 'names no asset in a read', body: `return assets.read(7);`, code: 'BUNDLE_PROTOCOL_VIOLATED' },
  {
    name: 'registers a driver with a schema that costs too much to check',
    body: `return registerDriver({ type: 'a', settings: { type: 'object', properties: { a: { type: 'string', pattern: '(a+)+$' } } }, address: { type: 'object' } });`,
    code: 'SCHEMA_NOT_SUPPORTED',
  },
  {
    name: 'registers a driver under an invalid type',
    body: `return registerDriver({ type: 'A b', settings: { type: 'object' }, address: { type: 'object' } });`,
    code: 'DRIVER_TYPE_INVALID',
  },
  {
    name: 'requests the Cookie header',
    body: `return registerAuthenticationProvider({ priority: 1, headers: ['Cookie'], authenticate() {} });`,
    code: 'BUNDLE_PERMISSION_MISSING',
  },
  {
    name: 'registers too many providers',
    body: `for (let i = 0; i < 9; i += 1) await registerAuthenticationProvider({ priority: 1, headers: [], authenticate() {} });`,
    code: 'PROVIDERS_EXCEEDED',
  },
]) {
  test(`a bundle that ${name} gets ${code}`, async (t) => {
    assert.equal(((await probe(t, body)) as { code: string }).code, code);
  });
}

// On a busy machine, a bundle runs only when no other process needs the CPU.
const LONGEST_DEADLINE_MS = 5000;

const provider = (deadlineMs: number): string => `
  export async function activate({ logger, registerAuthenticationProvider }) {
    await registerAuthenticationProvider({
      priority: 250,
      headers: ['X-Name'],
      deadlineMs: ${deadlineMs},
      async authenticate({ headers }) {
        const name = headers['x-name'];
        if (name === 'die') process.exit(1);
        if (name === 'throw') throw new Error('broken');
        if (name === 'hang') await new Promise(() => {});
        if (name === 'number') return 7;
        return name;
      },
      onEnabled: () => logger.info('enabled'),
      onDisabled: () => logger.info('disabled'),
    });
  }`;

test('a provider of a bundle names the sender of a request; an unknown name is not authenticated', async (t) => {
  const bench = await createBridgeBench(t);
  bench.identities.create({ name: 'machine', permissions: [], passwordChangeNeeded: false });
  assert.equal(await bench.authenticate({ 'x-name': 'machine' }), undefined);
  await bench.supervisor.start(
    createBundle(t, { source: provider(LONGEST_DEADLINE_MS), permissions: 'authentication' }),
  );
  assert.equal(await bench.authenticate({ 'x-name': 'machine' }), 'machine');
  for (const name of ['stranger', 'throw', 'number']) {
    assert.equal(await bench.authenticate({ 'x-name': name }), undefined, name);
  }
  assert.equal(await bench.authenticate({ 'x-other': 'machine' }), undefined);
  assert.ok(bench.lines.some(({ fields }) => fields['message'] === 'enabled'));
});

test('a provider that does not answer in time authenticates no request', async (t) => {
  const bench = await createBridgeBench(t);
  await bench.supervisor.start(createBundle(t, { source: provider(100), permissions: 'authentication' }));
  assert.equal(await bench.authenticate({ 'x-name': 'hang' }), undefined);
});

test('a provider whose bundle exits authenticates no request until the bundle runs again', async (t) => {
  const bench = await createBridgeBench(t);
  bench.identities.create({ name: 'machine', permissions: [], passwordChangeNeeded: false });
  await bench.supervisor.start(
    createBundle(t, { source: provider(LONGEST_DEADLINE_MS), permissions: 'authentication' }),
  );
  assert.equal(await bench.authenticate({ 'x-name': 'die' }), undefined);
  const failed = await bench.awaitStatus(({ state }) => state === 'FAILED');
  assert.equal(await bench.authenticate({ 'x-name': 'machine' }), undefined);
  await bench.awaitStatus(({ state }) => state === 'ACTIVE', bench.states.indexOf(failed));
  assert.equal(await bench.authenticate({ 'x-name': 'machine' }), 'machine');
});

const parting = (onDisabled: string): string => `
  export async function activate({ logger, registerAuthenticationProvider }) {
    globalThis.log = (text) => logger.info(text);
    const onDisabled = ${onDisabled};
    await registerAuthenticationProvider({ priority: 250, headers: ['x-name'], authenticate() {}, onDisabled });
  }
  export async function deactivate() { log('deactivated'); }`;

const endings: Readonly<Record<string, (bench: BridgeBench, bundle: Bundle) => Promise<unknown>>> = {
  'is stopped': ({ supervisor }, { id }) => supervisor.stop(id),
  restarts: ({ supervisor, awaitStatus, states }, { id }) => {
    supervisor.restart(id.name);
    return awaitStatus(({ state }) => state === 'STARTING', states.length);
  },
  'stops with the gateway': ({ supervisor }) => supervisor.close(),
};

// A process of the lowest priority may wait long for the CPU.
const PATIENT = { deactivationMs: 60_000 };

for (const [what, end] of Object.entries(endings)) {
  test(`onDisabled of a provider runs before its bundle ${what}`, async (t) => {
    const bench = await createBridgeBench(t, { limits: PATIENT });
    const bundle = createBundle(t, {
      source: parting(`async () => { await 0; log('disabled'); }`),
      permissions: 'authentication',
    });
    await bench.supervisor.start(bundle);
    await end(bench, bundle);
    assert.deepEqual(messagesOf(bench), ['deactivated', 'disabled']);
  });
}

for (const [what, onDisabled] of [
  ['throws', `() => { throw new Error('broken'); }`],
  ['fails later', `async () => { throw new Error('broken'); }`],
] as const) {
  test(`a provider whose onDisabled ${what} is logged, and deactivate is called`, async (t) => {
    const bench = await createBridgeBench(t, { limits: PATIENT });
    const bundle = createBundle(t, { source: parting(onDisabled), permissions: 'authentication' });
    await bench.supervisor.start(bundle);
    await bench.supervisor.stop(bundle.id);
    assert.deepEqual(messagesOf(bench), ['deactivated', 'onDisabled: broken']);
  });
}

for (const [what, onDisabled] of [
  ['never answers', `() => new Promise(() => {})`],
  ['spins', `() => { for (;;); }`],
] as const) {
  test(`a provider whose onDisabled ${what} does not delay the stop of its bundle`, async (t) => {
    const bench = await createBridgeBench(t, { limits: { deactivationMs: 500 } });
    const bundle = createBundle(t, { source: parting(onDisabled), permissions: 'authentication' });
    await bench.supervisor.start(bundle);
    await bench.supervisor.stop(bundle.id);
    assert.deepEqual(bench.supervisor.list(), []);
  });
}

test('the example authentication provider recognises machines by their key', async (t) => {
  const bench = await createBridgeBench(t);
  bench.identities.create({ name: 'scada', permissions: [], passwordChangeNeeded: false });
  const bundle = createExampleBundle(t, 'api-key');
  const digest = createHash('sha256').update('the-key').digest('hex');
  writeFileSync(path.join(bundle.dataDirectory, 'keys.json'), JSON.stringify({ [digest]: 'scada' }));
  await bench.supervisor.start(bundle);
  assert.equal(await bench.authenticate({ 'x-api-key': 'the-key' }), 'scada');
  assert.equal(await bench.authenticate({ 'x-api-key': 'another' }), undefined);
});

test('the example asset reader closes the valve of a full tank', async (t) => {
  const factory = createScriptedFactory();
  const bench = await createBridgeBench(t, { builtIn: [factory] });
  const channels = [
    { name: 'level', type: 'READ', valueType: 'DOUBLE', address: {} },
    { name: 'valve', type: 'WRITE', valueType: 'BOOLEAN', address: {} },
  ];
  const drivers = [{ pid: 'x', type: 'scripted', line: 'x' }];
  const faults = await bench.configure({ drivers, assets: [{ pid: 'tank', driver: 'x', channels }] });
  assert.equal(faults, undefined);
  const [device] = factory.made.get('x') ?? [];
  assert.ok(device !== undefined);
  device.values.set('level', 85);
  await bench.supervisor.start(createExampleBundle(t, 'level-watch'));
  while (device.written.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(device.written, [['valve', false]]);
});

test('the example driver reads and writes a meter, and reconnects after a loss', async (t) => {
  const device = await startLineMeter(t);
  const bench = await createBridgeBench(t);
  await bench.supervisor.start(createExampleBundle(t, 'line-meter'));
  const channels = ['volts', 'amperes', 'relay'].map((quantity) => ({
    name: quantity,
    type: 'READ_WRITE',
    valueType: quantity === 'relay' ? 'INTEGER' : 'DOUBLE',
    address: { quantity },
  }));
  const faults = await bench.configure({
    drivers: [{ pid: 'm', type: 'line-meter', host: '127.0.0.1', port: device.port, callDeadlineMs: 60_000 }],
    assets: [{ pid: 'meter', driver: 'm', channels }],
  });
  assert.equal(faults, undefined);
  const meter = bench.registry.get('meter');
  const { records } = await meter.read(['volts', 'amperes']);
  assert.equal(records[0]?.value, 12.01);
  assert.equal(records[1]?.failure?.code, 'METER_REFUSED');
  const [written] = await meter.write([{ name: 'relay', valueType: 'INTEGER', value: 1 }]);
  assert.equal(written?.failure, undefined);
  device.cut();
  while ((await meter.read(['volts'])).records[0]?.value !== 12.01) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});
