import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { ConnectionError } from '../../../../../daemon/channel/driver-errors.ts';
import type { Proposal } from '../../../../../daemon/channel/discovery.ts';
import { createScanRoutes } from '../../../../../daemon/server/rest/plant/scan-routes.ts';
import { EventParser } from '../../../../support/event-stream-client.ts';
import type { ReceivedEvent } from '../../../../support/event-stream-client.ts';
import { openScanBench } from '../../../plant/discovery/scan-bench.ts';
import { openApplication } from '../../http/application-fixture.ts';

const NOTE = { message: 'A note.', reasons: [{ code: 'SCAN_NOTE', parameters: {} }] };
const CONFIGURED = '/services/drivers/v1/line/_scan';

async function openBench(t: TestContext) {
  const parts = await openScanBench(t, { 'model 1': 'meter' });
  const application = await openApplication(t, createScanRoutes(parts));
  const headers = { Authorization: 'configuration', 'Content-Type': 'application/json' };
  const post = (path: string, body: unknown) =>
    application.send('POST', path, { headers, body: JSON.stringify(body) });
  return {
    ...parts,
    port: application.port,
    headers,
    post,
    scan: async (path: string, body: unknown): Promise<readonly ReceivedEvent[]> =>
      new EventParser().feed((await post(path, body)).text),
  };
}

test('a scan sends its progress, each finding, and then the result', async (t) => {
  const { bench, scan } = await openBench(t);
  bench.onScan = (_options, { report }) => {
    report({ type: 'progress', done: 1, total: 2, text: 'unit 1' });
    report({ type: 'progress', done: 2, total: 2, text: 'unit 2' });
    report({ type: 'found', subject: 'unit 1', kind: 'UNIT', text: 'answers', fields: { unitId: 1 } });
    const parts = [{ describes: 'model 1', parameters: { unitId: 1 } }];
    return Promise.resolve({ assets: [{ pid: 'one', parts }], notes: [NOTE] });
  };
  const asset = { pid: 'one', template: 'meter', parameters: { unitId: 1 } };
  const result = {
    connection: { pid: 'line', type: 'scanned' },
    assets: [asset],
    notes: [NOTE.message],
    details: [NOTE],
  };
  assert.deepEqual(
    (await scan(CONFIGURED, {})).map(({ type, data }) => [type, data]),
    [
      ['progress', { done: 1, total: 2, text: 'unit 1' }],
      ['found', { subject: 'unit 1', kind: 'UNIT', text: 'answers', fields: { unitId: 1 } }],
      ['result', { isComplete: true, ...result }],
      ['end', { reason: 'COMPLETED' }],
    ],
  );
});

test('a scan that fails says why, without what is for the log', async (t) => {
  const { bench, scan } = await openBench(t);
  for (const [thrown, expected] of [
    [
      new ConnectionError({ code: 'CONNECT_FAILED', detail: 'no such line' }),
      { code: 'CONNECT_FAILED', message: 'no such line' },
    ],
    [
      new RangeError('inner'),
      { code: 'DRIVER_FAULT', message: 'the driver of line new failed unexpectedly' },
    ],
  ] as const) {
    bench.onScan = () => Promise.reject(thrown);
    const events = await scan('/services/drivers/v1/_scan', { type: 'scanned', settings: { line: 'new' } });
    assert.deepEqual(
      events.map(({ type, data }) => [type, data]),
      [
        ['failed', expected],
        ['end', { reason: 'FAILED' }],
      ],
    );
  }
});

test('a client that goes away ends its scan, and the next one can begin', async (t) => {
  const { bench, scan, port, headers } = await openBench(t);
  const begun = Promise.withResolvers<undefined>();
  const stopped = Promise.withResolvers<undefined>();
  bench.onScan = (_options, { signal }) =>
    new Promise<Proposal>((resolve) => {
      begun.resolve(undefined);
      signal.addEventListener('abort', () => {
        resolve({ assets: [], notes: [] });
        stopped.resolve(undefined);
      });
    });
  const leaving = request({ method: 'POST', port, path: CONFIGURED, headers, agent: false });
  leaving.on('error', () => undefined).end('{}');
  const [answer] = (await once(leaving, 'response')) as [IncomingMessage];
  answer.on('error', () => undefined).resume();
  await begun.promise;
  leaving.destroy();
  await stopped.promise;
  bench.onScan = () => Promise.resolve({ assets: [], notes: [] });
  assert.equal((await scan(CONFIGURED, {})).at(-1)?.type, 'end');
});

test('a second scan of a connection is refused while one is under way', async (t) => {
  const { bench, post } = await openBench(t);
  const begun = Promise.withResolvers<undefined>();
  const held = Promise.withResolvers<Proposal>();
  bench.onScan = () => {
    begun.resolve(undefined);
    return held.promise;
  };
  const first = post(CONFIGURED, {});
  await begun.promise;
  assert.equal((await post(CONFIGURED, {})).status, 409);
  held.resolve({ assets: [], notes: [] });
  assert.equal((await first).status, 200);
});

test('wrong options, unknown drivers and kinds that find nothing are refused before anything is sent', async (t) => {
  const { made, post } = await openBench(t);
  const statuses = [
    (await post(CONFIGURED, { options: { depth: 0 } })).status,
    (await post(CONFIGURED, { limitSeconds: 0 })).status,
    (await post('/services/drivers/v1/none/_scan', {})).status,
    (await post('/services/drivers/v1/other/_scan', {})).status,
    (await post('/services/drivers/v1/_scan', { type: 'scanned', settings: {} })).status,
    (await post('/services/drivers/v1/_scan', { type: 'scanned' })).status,
  ];
  assert.deepEqual(statuses, [400, 400, 404, 400, 400, 400]);
  assert.deepEqual(
    made.map(({ connects }) => connects),
    [0],
  );
});
