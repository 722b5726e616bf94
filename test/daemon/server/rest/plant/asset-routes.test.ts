import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { systemClock } from '../../../../../daemon/base/clock.ts';
import type { SliceClock } from '../../../../../daemon/base/slices.ts';
import { systemRandom } from '../../../../../daemon/base/random.ts';
import { AssetAccess } from '../../../../../daemon/plant/access/asset-access.ts';
import { AssetRegistry } from '../../../../../daemon/plant/asset/asset-registry.ts';
import { ConnectionError } from '../../../../../daemon/channel/driver-errors.ts';
import { checkPlant } from '../../../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../../../daemon/base/slices.ts';
import { digest } from '../../../../../daemon/server/http/idempotent-requests.ts';
import type { IdempotencyStore } from '../../../../../daemon/security/idempotency/idempotency-store.ts';
import { createAssetRoutes } from '../../../../../daemon/server/rest/plant/asset-routes.ts';
import { createAssetStatusRoutes } from '../../../../../daemon/server/rest/plant/asset-status-routes.ts';
import { createRecordRenderer } from '../../../../../daemon/server/rest/plant/record-json.ts';
import type { ClientAnswer, ClientRequest } from '../../../../support/https-client.ts';
import { createLastWrites } from '../../../../support/last-writes.ts';
import { createSlicingClock, ManualClock } from '../../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../../support/memory-logger.ts';
import { createScriptedFactory } from '../../../../support/scripted-driver.ts';
import type { ScriptedDriver } from '../../../../support/scripted-driver.ts';
import { openApplication, toIdentity } from '../../http/application-fixture.ts';

const LABEL = { displayName: 'Füllstand', description: 'Of the basin' };
const CHANNELS = [
  { name: 'level', type: 'READ', valueType: 'FLOAT', unit: 'm', ...LABEL, address: {} },
  { name: 'total', type: 'READ_WRITE', valueType: 'LONG', address: {} },
  { name: 'valve', type: 'READ_WRITE', valueType: 'BOOLEAN', address: {} },
  {
    name: 'speed',
    type: 'WRITE',
    valueType: 'INTEGER',
    scaleOffsetType: 'DOUBLE',
    valueScale: 0.1,
    address: {},
  },
  { name: 'spare', type: 'READ', valueType: 'DOUBLE', isEnabled: false, address: {} },
];

const LARGE = Array.from({ length: 1000 }, (_, index) => ({
  name: `channel${index}`,
  type: 'READ',
  valueType: 'DOUBLE',
  isEnabled: false,
  address: {},
}));

interface BenchOptions {
  readonly slicing?: SliceClock;
}

interface Bench {
  readonly registry: AssetRegistry;
  readonly driver: ScriptedDriver;
  readonly clock: ManualClock;
  readonly requestKeys: IdempotencyStore;
  readonly call: (method: string, path: string, request?: ClientRequest) => Promise<ClientAnswer>;
  readonly write: (channels: string) => Promise<ClientAnswer>;
}

async function openBench(t: TestContext, { slicing = systemClock }: BenchOptions = {}): Promise<Bench> {
  const factory = createScriptedFactory();
  const clock = new ManualClock();
  const registry = new AssetRegistry({
    factories: () => [factory],
    driverDirectory: '/nonexistent',
    onChange: () => undefined,
    logger: createMemoryLogger(),
    clock,
    lastWrites: createLastWrites(clock),
    random: systemRandom,
  });
  const plant = finish(
    checkPlant([factory], {
      drivers: [{ pid: 'line', type: 'scripted', line: '1' }],
      assets: [
        { pid: 'pump', driver: 'line', ...LABEL, channels: CHANNELS },
        { pid: 'Ä.b', driver: 'line' },
        { pid: 'large', driver: 'line', channels: LARGE },
      ],
    }),
  );
  assert.ok(plant.value !== undefined);
  await registry.apply(plant.value);
  const [driver] = factory.made.get('1') ?? [];
  assert.ok(driver !== undefined);
  driver.values.set('level', Math.fround(12.34));
  driver.values.set('total', 9007199254740993n);
  driver.values.set('valve', 1);
  driver.values.set('speed', 0);
  const access = new AssetAccess({ registry, identities: { find: toIdentity }, clock });
  const { send, requestKeys } = await openApplication(t, [
    ...createAssetStatusRoutes({ access, registry, clock: slicing }),
    ...createAssetRoutes({
      access,
      rest: () => ({ recordDetails: true }),
      renderRecords: createRecordRenderer(),
      writeDeadlineMs: () => 60_000,
      clock,
    }),
  ]);
  const call: Bench['call'] = (method, path, { headers, body } = {}) =>
    send(method, `/services/assets${path}`, { headers: { Authorization: 'assets', ...headers }, body });
  const write = (channels: string): Promise<ClientAnswer> =>
    call('POST', '/pump/_write', { body: `{"channels":${channels}}` });
  return { registry, driver, clock, requestKeys, call, write };
}

const valuesOf = ({ json }: ClientAnswer): readonly unknown[] =>
  (json as readonly { name: string; value?: unknown }[]).map(({ name, value }) => [name, value]);

test('the list returns the pids in configuration order', async (t) => {
  const { call } = await openBench(t);
  assert.deepEqual((await call('GET', '')).json, ['pump', 'Ä.b', 'large']);
});

test('an asset is found by its percent-encoded pid, and an unknown one is answered with 404', async (t) => {
  const { call } = await openBench(t);
  assert.deepEqual((await call('GET', `/${encodeURIComponent('Ä.b')}`)).json, []);
  for (const path of ['/nobody', '/nobody/_read', '/nobody/_status', '/PUMP']) {
    assert.equal((await call('GET', path)).status, 404, path);
  }
  assert.equal((await call('POST', '/nobody/_read', { body: { channels: [] } })).status, 404);
  assert.equal((await call('POST', '/nobody/_write', { body: { channels: [] } })).status, 404);
});

test('the channels of an asset show their fields, but no address and no unset unit', async (t) => {
  const { call } = await openBench(t);
  const channels = (await call('GET', '/pump')).json as readonly object[];
  const common = { scaleOffsetType: 'DEFINED_BY_VALUE_TYPE', valueScale: 1, valueOffset: 0, isEnabled: true };
  assert.deepEqual(channels.slice(0, 2), [
    { name: 'level', type: 'READ', valueType: 'FLOAT', unit: 'm', ...LABEL, ...common },
    { name: 'total', type: 'READ_WRITE', valueType: 'LONG', ...common },
  ]);
  assert.equal(channels.length, 5);
});

test('a read returns every digit of a LONG and the shortest decimal of a FLOAT', async (t) => {
  const { call } = await openBench(t);
  const { text } = await call('GET', '/pump/_read');
  assert.match(text, /"value":12\.34,/);
  assert.match(text, /"value":9007199254740993,/);
  assert.match(text, /"value":true,/);
});

test('a read by names reads each once, and returns an empty list for no names', async (t) => {
  const { call } = await openBench(t);
  const read = (channels: unknown) => call('POST', '/pump/_read', { body: { channels } });
  assert.deepEqual(valuesOf(await read(['valve', 'level', 'valve'])), [
    ['valve', true],
    ['level', 12.34],
  ]);
  assert.deepEqual((await read([])).json, []);
});

test('GET _read reads names from its query as POST does from its body', async (t) => {
  const { call } = await openBench(t);
  const withoutTime = ({ text }: ClientAnswer): string => text.replaceAll(/"timestamp":\d+/g, '');
  for (const names of [['valve', 'level', 'valve'], ['nobody', 'level', 'speed', 'spare'], ['nobody']]) {
    const got = await call('GET', `/pump/_read?channels=${names.join(',')}`);
    assert.equal(got.status, 200);
    const posted = await call('POST', '/pump/_read', { body: { channels: names } });
    assert.equal(withoutTime(got), withoutTime(posted), names.join());
  }
});

test('GET _read refuses empty names, and ignores other parameters', async (t) => {
  const { call } = await openBench(t);
  for (const query of ['channels=', 'channels=level,', 'channels=level&channels=']) {
    assert.equal((await call('GET', `/pump/_read?${query}`)).status, 400, query);
  }
  const { json } = await call('GET', '/pump/_read?channels=level&_=1&_=2');
  assert.equal((json as readonly unknown[]).length, 1);
});

test('a read body of any other form is answered with 400', async (t) => {
  const { call, driver } = await openBench(t);
  const wrong = [{}, [], { channels: 'level' }, { channels: [1] }, { channels: [null] }];
  for (const body of [...wrong, '"level"', 'null', '{"channels":[9007199254740993]}']) {
    assert.equal((await call('POST', '/pump/_read', { body })).status, 400, JSON.stringify(body));
  }
  assert.equal(driver.rounds.length, 0);
});

test('max-age permits cached values, whose age, rounded up, is in Age', async (t) => {
  const { call, driver, clock } = await openBench(t);
  const read = (directives: string) =>
    call('GET', '/pump/_read', { headers: { 'Cache-Control': directives } });
  const first = await call('GET', '/pump/_read');
  assert.equal(first.headers.age, undefined);
  clock.advance(1200);
  const ages: unknown[] = [];
  for (const directives of ['max-age=2', 'no-transform, Max-Age=2', 'max-age="2"']) {
    ages.push((await read(directives)).headers.age);
  }
  assert.deepEqual(ages, ['2', '2', '2']);
  assert.equal(driver.rounds.length, 1);
  assert.equal((await read('max-age=1')).headers.age, '0');
  assert.equal(driver.rounds.length, 2);
});

test('max-age that is 0, invalid or repeated reads again', async (t) => {
  const { call, driver } = await openBench(t);
  await call('GET', '/pump/_read');
  const odd = [
    'max-age=0',
    'max-age',
    'max-age=',
    'max-age=-1',
    'max-age=1e9',
    'max-age=9, max-age=8',
    'no-cache',
  ];
  for (const directives of odd) {
    const { headers } = await call('GET', '/pump/_read', { headers: { 'Cache-Control': directives } });
    assert.equal(headers.age, undefined, directives);
  }
  assert.equal(driver.rounds.length, 1 + odd.length);
});

test('a write carries every digit of a LONG to the device and back', async (t) => {
  const { write, driver } = await openBench(t);
  const element = (value: string): string => `{"name":"total","type":"LONG","value":${value}}`;
  const values = ['9007199254740993', '-9223372036854775808', '"9223372036854775807"', '5'];
  const { status, text } = await write(`[${values.map(element).join(',')}]`);
  assert.equal(status, 200);
  assert.deepEqual(
    driver.written.map(([, value]) => String(value)),
    ['9007199254740993', '-9223372036854775808', '9223372036854775807', '5'],
  );
  assert.deepEqual(
    text.match(/(?<="value":)[^,]+/g),
    driver.written.map(([, value]) => String(value)),
  );
});

test('a write whose dry run or condition stands where nothing would read it is refused', async (t) => {
  const { driver, call } = await openBench(t);
  const element = { name: 'count', type: 'LONG', value: '1' };
  for (const [body, expected] of [
    [
      { dryRun: true, channels: [element] },
      /^dryRun: a dry run must be requested in the query: \?dryRun=true/,
    ],
    [{ channels: [{ ...element, DryRun: true }] }, /channels\[0\]\.DryRun: a dry run/],
    [{ ifValue: '1', channels: [element] }, /^ifValue: .*in an element of channels/],
    [{ channels: [element, { ...element, ifvalue: '1' }] }, /channels\[1\]\.ifvalue: /],
    [{ verify: true, channels: [element] }, /^verify: .*write\.verify/],
    [{ channels: [{ ...element, onlyIf: [] }] }, /channels\[0\]\.onlyIf: .*write\.onlyIf/],
  ] as const) {
    const { status, text } = await call('POST', '/pump/_write', { body });
    assert.equal(status, 400, text);
    assert.match((JSON.parse(text) as { message: string }).message, expected);
  }
  assert.deepEqual(driver.written, []);
});

test('a write of a value outside its type is answered with 400, and nothing is written', async (t) => {
  const { write, driver } = await openBench(t);
  const good = '{"name":"valve","type":"BOOLEAN","value":true}';
  const wrong = [
    '{"name":"speed","type":"INTEGER","value":2147483648}',
    '{"name":"speed","type":"INTEGER","value":1.5}',
    '{"name":"speed","type":"INTEGER","value":"0x10"}',
    '{"name":"speed","type":"INTEGER","value":true}',
    '{"name":"speed","type":"DOUBLE","value":1e999}',
    '{"name":"speed","type":"BYTE_ARRAY","value":"A"}',
    '{"name":"total","type":"LONG","value":9007199254740993.0}',
    '{"name":"total","type":"LONG","value":9223372036854775808}',
    '{"name":"valve","type":"BOOLEAN","value":1}',
  ];
  for (const element of wrong) {
    const { status, text } = await write(`[${good},${element}]`);
    assert.equal(status, 400, element);
    assert.match(text, /channels\[1\]/, element);
  }
  assert.deepEqual(driver.written, []);
});

test('unknown fields of a body are ignored', async (t) => {
  const { call, write, driver } = await openBench(t);
  assert.equal((await call('POST', '/pump/_read', { body: { channels: [], more: 1 } })).status, 200);
  const element = '{"name":"valve","type":"BOOLEAN","value":true,"unit":"m"}';
  assert.equal((await write(`[${element}]`)).status, 200);
  assert.equal(driver.written.length, 1);
});

test('a write with a missing field or an unknown type is answered with 400, and nothing is written', async (t) => {
  const { write, driver } = await openBench(t);
  const wrong = [
    '{"type":"BOOLEAN","value":true}',
    '{"name":"valve","value":true}',
    '{"name":"valve","type":"BOOLEAN"}',
    '{"name":"valve","type":"boolean","value":true}',
    '{"name":"valve","type":"SHORT","value":1}',
    '{"name":"valve","type":"BOOLEAN","value":null}',
    '{"name":"valve","type":"BOOLEAN","value":[true]}',
    'null',
  ];
  for (const element of wrong) assert.equal((await write(`[${element}]`)).status, 400, element);
  assert.equal((await write('{}')).status, 400);
  assert.deepEqual(driver.written, []);
});

test('a write returns one record per element in order, with failures for elements that cannot be written', async (t) => {
  const { write, driver } = await openBench(t);
  const answer = await write(
    `[{"name":"level","type":"FLOAT","value":1},{"name":"valve","type":"INTEGER","value":1},
      {"name":"speed","type":"INTEGER","value":"12"},{"name":"nobody","type":"STRING","value":"x"},
      {"name":"speed","type":"INTEGER","value":7}]`,
  );
  const records = answer.json as readonly { name: string; channelStatus: { channelFlag: string } }[];
  assert.deepEqual(
    records.map(({ name, channelStatus }) => `${name} ${channelStatus.channelFlag}`),
    ['level FAILURE', 'valve FAILURE', 'speed SUCCESS', 'nobody FAILURE', 'speed SUCCESS'],
  );
  assert.deepEqual(driver.written, [
    ['speed', 120],
    ['speed', 70],
  ]);
  assert.deepEqual((await write('[]')).json, []);
});

test('a failed write echoes the requested value in the form of the requested type, whatever the cause', async (t) => {
  const { write, driver } = await openBench(t);
  driver.values.delete('total');
  const cases = [
    ['unknown channel', 'nobody', 'LONG', '"9007199254740993"', '9007199254740993'],
    ['unknown channel, bytes', 'nobody', 'BYTE_ARRAY', '"AQI="', '"AQI="'],
    ['disabled', 'spare', 'DOUBLE', '"NaN"', '"NaN"'],
    ['wrong direction', 'level', 'FLOAT', '12.340000152587890625', '12.34'],
    ['wrong type', 'valve', 'STRING', 'true', '"true"'],
    ['refused by the device', 'total', 'LONG', '"-9007199254740993"', '-9007199254740993'],
  ] as const;
  const body = cases.map(([, name, type, value]) => `{"name":"${name}","type":"${type}","value":${value}}`);
  const { text } = await write(`[${body.join()}]`);
  const values = [...text.matchAll(/"FAILURE",[^}]*},.*?"value":(.*?),"timestamp"/g)].map(
    ([, value]) => value,
  );
  assert.deepEqual(
    values,
    cases.map(([, , , , value]) => value),
  );
});

test('a write to a silent device echoes the requested value', async (t) => {
  const { write, driver } = await openBench(t);
  driver.connectFault = new ConnectionError({ code: 'CONNECT_TIMEOUT', detail: 'it does not answer' });
  const [record] = (await write('[{"name":"valve","type":"BOOLEAN","value":"true"}]')).json as readonly [
    object,
  ];
  assert.deepEqual(
    { ...record, timestamp: 0 },
    {
      channelStatus: { channelFlag: 'FAILURE', exceptionMessage: 'it does not answer' },
      name: 'valve',
      valueType: 'BOOLEAN',
      value: true,
      timestamp: 0,
      statusCode: 'CONNECT_TIMEOUT',
      outcome: 'NOT_SENT',
    },
  );
});

test('a write tells its outcome, compares by ifValue, and sends nothing as a trial', async (t) => {
  const { call, driver } = await openBench(t);
  const write = async (query: string, more: object): Promise<readonly unknown[]> => {
    const body = { channels: [{ name: 'total', type: 'LONG', value: '9007199254740995', ...more }] };
    const { json } = await call('POST', `/pump/_write${query}`, { body });
    const [record] = json as readonly Readonly<Record<string, unknown>>[];
    return [record?.['outcome'], record?.['dryRun'], record?.['statusCode']];
  };
  const changed = ['NOT_SENT', undefined, 'WRITE_VALUE_CHANGED'];
  assert.deepEqual(await write('', { ifValue: '9007199254740994' }), changed);
  assert.deepEqual(await write('?dryRun=true', {}), [undefined, true, undefined]);
  assert.deepEqual(driver.written, []);
  const done = ['ACKNOWLEDGED', undefined, undefined];
  assert.deepEqual(await write('?dryRun=false', { ifValue: '9007199254740993' }), done);
  assert.equal(driver.written.length, 1);
});

test('_status shows the texts for people of an asset that has them', async (t) => {
  const { call } = await openBench(t);
  const textsOf = async (pid: string): Promise<unknown> => {
    const status = (await call('GET', `/${encodeURIComponent(pid)}/_status`)).json as typeof LABEL;
    return [status.displayName, status.description];
  };
  assert.deepEqual(await textsOf('pump'), ['Füllstand', 'Of the basin']);
  assert.deepEqual(await textsOf('Ä.b'), [undefined, undefined]);
});

test('one _status has the states of all assets, or of those that are named', async (t) => {
  const { call } = await openBench(t);
  const all = (await call('GET', '/_status')).json as readonly Record<string, unknown>[];
  assert.deepEqual(
    all.map(({ asset, channels, displayName }) => ({ asset, channels, displayName })),
    [
      { asset: 'pump', channels: 5, displayName: 'Füllstand' },
      { asset: 'Ä.b', channels: 0, displayName: undefined },
      { asset: 'large', channels: 1000, displayName: undefined },
    ],
  );
  const { asset: _asset, channels: _channels, ...state } = all[0] ?? {};
  assert.deepEqual(state, (await call('GET', '/pump/_status')).json);
  const named = (await call('GET', `/_status?assets=${encodeURIComponent('Ä.b')},pump,pump`)).json;
  assert.deepEqual(named, [all[1], all[0]]);
});

test('one _status has the assets of the moment of the request, also when they are removed while it is made', async (t) => {
  const opened = Promise.withResolvers<AssetRegistry>();
  // Each asset takes longer than a slice.
  const slicing = createSlicingClock(async () => (await opened.promise).apply({ drivers: [], assets: [] }));
  const { registry, call } = await openBench(t, { slicing });
  opened.resolve(registry);
  const { status, json } = await call('GET', '/_status');
  assert.equal(status, 200);
  assert.deepEqual(
    (json as readonly { readonly asset: string }[]).map(({ asset }) => asset),
    ['pump', 'Ä.b', 'large'],
  );
  assert.deepEqual(registry.list(), []);
});

test('_status of an asset that is unknown, empty or in a parameter that is unknown is refused', async (t) => {
  const { call } = await openBench(t);
  assert.equal((await call('GET', '/_status?assets=pump,nobody')).status, 404);
  assert.equal((await call('GET', '/_status?assets=')).status, 400);
  assert.equal((await call('GET', '/_status?assets=pump,')).status, 400);
  assert.equal((await call('GET', '/_status?asset=pump')).status, 400);
});

test('_status shows the connection before and after the first read', async (t) => {
  const { call } = await openBench(t);
  const stateOf = async (): Promise<unknown> => {
    const { driver } = (await call('GET', '/pump/_status')).json as { driver: Record<string, unknown> };
    return [driver['pid'], driver['type'], driver['endpoint'], driver['state'], driver['lastError']];
  };
  assert.deepEqual(await stateOf(), ['line', 'scripted', 'line 1', 'DISCONNECTED', undefined]);
  await call('GET', '/pump/_read');
  assert.deepEqual(await stateOf(), ['line', 'scripted', 'line 1', 'CONNECTED', undefined]);
});

test('an identity that exceeds its share of requests to an asset is answered with 503 and Retry-After', async (t) => {
  const { write, driver } = await openBench(t);
  const one = '[{"name":"valve","type":"BOOLEAN","value":true}]';
  await write(one);
  driver.hold();
  const waiting = Array.from({ length: 32 }, () => write(one));
  await driver.arrived(32);
  const { status, headers } = await write(one);
  assert.deepEqual([status, headers['retry-after']], [503, '1']);
  driver.release();
  for (const answer of await Promise.all(waiting)) assert.equal(answer.status, 200);
});

test('a write that is repeated with its key reaches the device once, also while the first waits for it', async (t) => {
  const { call, driver } = await openBench(t);
  const body = '{"channels":[{"name":"valve","type":"BOOLEAN","value":true}]}';
  const write = () => call('POST', '/pump/_write', { body, headers: { 'Idempotency-Key': 'open-1' } });
  await call('GET', '/pump/_read');
  driver.hold();
  const first = write();
  await driver.arrived();
  assert.equal((await write()).status, 409);
  driver.release();
  const { status, text } = await first;
  const again = await write();
  assert.deepEqual([status, again.status, again.text], [200, 200, text]);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.deepEqual(driver.written, [['valve', true]]);
});

test('a write whose answer an earlier run did not record is answered with unknown outcomes, and not sent', async (t) => {
  const { call, driver, requestKeys } = await openBench(t);
  const body =
    '{"channels":[{"name":"valve","type":"BOOLEAN","value":true},{"name":"total","type":"LONG","value":"7"}]}';
  const asked = digest(`POST\n/services/assets/pump/_write\n${digest(body)}`);
  requestKeys.claim({ identity: 'assets', key: 'open-1', digest: asked, bodyBytes: body.length });
  const answer = await call('POST', '/pump/_write', { body, headers: { 'Idempotency-Key': 'open-1' } });
  const records = answer.json as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual(
    records.map(({ name, value, statusCode }) => [name, value, statusCode]),
    [
      ['valve', true, 'WRITE_INTERRUPTED'],
      ['total', 7, 'WRITE_INTERRUPTED'],
    ],
  );
  assert.match(JSON.stringify(records[0]?.['channelStatus']), /"FAILURE".*outcome unknown/);
  assert.deepEqual([answer.headers['idempotency-replayed'], driver.written], ['true', []]);
});

test('a trial whose answer an earlier run did not record is made again: nothing was sent', async (t) => {
  const { call, driver, requestKeys } = await openBench(t);
  const body = '{"channels":[{"name":"valve","type":"BOOLEAN","value":true}]}';
  const asked = digest(`POST\n/services/assets/pump/_write?dryRun=true\n${digest(body)}`);
  requestKeys.claim({ identity: 'assets', key: 'try-1', digest: asked, bodyBytes: body.length });
  const headers = { 'Idempotency-Key': 'try-1' };
  const { json } = await call('POST', '/pump/_write?dryRun=true', { body, headers });
  const [record] = json as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual(
    [record?.['dryRun'], record?.['outcome'], record?.['statusCode']],
    [true, undefined, undefined],
  );
  assert.deepEqual(driver.written, []);
});

test('a STRING that was sent as a number is the text of that number; no other type takes more than it holds', async (t) => {
  const { write } = await openBench(t);
  const numbers = ['1e400', '1.0', '1e2', '-0', '12345678901234567890', '9007199254740993.0', '0.10'];
  const elements = numbers.map((number) => `{"name":"note","type":"STRING","value":${number}}`);
  const { status, json } = await write(`[${elements.join(',')}]`);
  assert.equal(status, 200);
  assert.deepEqual(
    (json as readonly { value?: unknown }[]).map(({ value }) => value),
    numbers,
  );
  for (const type of ['BYTE_ARRAY', 'BOOLEAN', 'DOUBLE', 'FLOAT', 'LONG', 'INTEGER']) {
    const refused = await write(`[{"name":"note","type":"${type}","value":1e400}]`);
    assert.equal(refused.status, 400, type);
    assert.match(refused.text, /1e400/);
  }
  const whole = await write('[{"name":"total","type":"LONG","value":9007199254740993}]');
  assert.match(whole.text, /"value":9007199254740993,/);
});

test('the channels of a large asset are answered in pieces', async (t) => {
  const { call } = await openBench(t);
  const { headers, json } = await call('GET', '/large');
  assert.equal(headers['transfer-encoding'], 'chunked');
  assert.equal((json as readonly unknown[]).length, 1000);
});
