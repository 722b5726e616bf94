import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startAsyncuaServer } from '../support/asyncua-server.ts';
import { EventStreamClient } from '../support/event-stream-client.ts';
import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { needs } from '../support/tests-that-need.ts';
import { answerOf } from '../support/answer-of.ts';
import { listAssetStatus } from '../../daemon/interface/plant/asset-status.ts';
import { checkStatus } from '../../daemon/interface/status.ts';

const PASSWORD = 'failing-test-turbine';
const STATUS = '/services/status/v1';

interface Check {
  readonly check: string;
  readonly name?: string;
  readonly state: string;
  readonly detail: string;
  readonly channels?: number;
}

interface Failing {
  readonly count: number;
  readonly since: number;
  readonly first: readonly { readonly name: string; readonly statusCode: string; readonly message: string }[];
}

const holding = (name: string, offset: number, more: object = {}) => ({
  name,
  type: 'READ',
  valueType: 'INTEGER',
  address: { table: 'HOLDING_REGISTERS', offset, dataType: 'UINT16' },
  ...more,
});

test(
  'a channel that fails on every read is told with its asset, to those who may read it',
  needs('libmodbus'),
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const absent = ['a', 'b', 'c', 'd'].map((name, index) => holding(name, 60_000 + index));
    const gateway = await startGateway(t, {
      config: {
        provision: {
          identities: [
            {
              name: 'viewer',
              permissions: ['rest.events', 'rest.assets', 'rest.configuration'],
              password: PASSWORD,
            },
            { name: 'watcher', permissions: ['rest.events'], password: PASSWORD },
            {
              name: 'operator',
              password: PASSWORD,
              grants: [
                { assets: ['pump'], channels: ['level', 'b'], operations: ['READ'] },
                { assets: ['single'], channels: ['lone'], operations: ['WRITE'] },
              ],
            },
          ],
          drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: device.port }],
          assets: [
            { pid: 'pump', driver: 'line', channels: [holding('level', 8), ...absent] },
            {
              pid: 'single',
              driver: 'line',
              channels: [holding('lone', 60_009, { type: 'READ_WRITE' }), holding('off', 60_008)],
            },
          ],
        },
      },
    });
    const enter = async (name: string): Promise<SessionClient> => {
      const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
      await client.login(name, PASSWORD);
      return client;
    };
    const viewer = await enter('viewer');
    const look = async (client: SessionClient): Promise<readonly Check[]> => {
      const { json } = await client.send('GET', STATUS);
      return answerOf(checkStatus, { json }).checks.filter(({ check }) => check === 'channel');
    };
    const show = async (
      client: SessionClient,
    ): Promise<readonly (readonly [string, Failing | undefined])[]> => {
      const { json } = await client.send('GET', '/services/assets/_status');
      return answerOf(listAssetStatus, { json }).map(({ asset, failingChannels }) => [
        asset,
        failingChannels,
      ]);
    };

    assert.deepEqual(await look(viewer), []);
    const beganMs = Date.now();
    await viewer.send('GET', '/services/assets/pump/_read');
    // A client that reads nothing else.
    await viewer.send('GET', '/services/assets/single/_read?channels=lone');
    const [pump, single, ...others] = await look(viewer);
    assert.deepEqual(others, []);
    assert.deepEqual([pump?.name, pump?.state, pump?.channels], ['pump', 'WRONG', 4]);
    assert.match(pump?.detail ?? '', /^a, b, c: .*ILLEGAL DATA ADDRESS.*; and 1 more$/);
    assert.deepEqual([single?.name, single?.channels], ['single', 1]);
    const [[, shown] = []] = await show(viewer);
    assert.equal(shown?.count, 4);
    assert.deepEqual(
      shown.first.map(({ name, statusCode }) => [name, statusCode]),
      ['a', 'b', 'c'].map((name) => [name, 'MODBUS_EXCEPTION_2']),
    );
    assert.ok(shown.since >= beganMs && shown.since <= Date.now());

    const seen = await show(await enter('operator'));
    assert.deepEqual(
      seen.map(([asset, failing]) => [asset, failing?.count, failing?.first.map(({ name }) => name)]),
      [
        ['pump', 1, ['b']],
        ['single', undefined, undefined],
      ],
    );
    assert.deepEqual(await look(await enter('watcher')), []);

    // A channel that is corrected or disabled leaves the list, and so does one whose asset is removed.
    const path = '/services/configuration/v1/assets/pump';
    const body = {
      pid: 'pump',
      driver: 'line',
      channels: [
        holding('level', 8),
        holding('a', 9),
        holding('b', 60_001, { isEnabled: false }),
        holding('d', 60_003),
      ],
    };
    const { status } = await viewer.send('PUT', path, { body, headers: { 'If-Match': '*' } });
    assert.equal(status, 200);
    await viewer.send('GET', '/services/assets/pump/_read');
    const [corrected] = await look(viewer);
    assert.match(corrected?.detail ?? '', /^d: /);
    await viewer.send('DELETE', '/services/configuration/v1/assets/single', { headers: { 'If-Match': '*' } });
    assert.deepEqual(
      (await look(viewer)).map(({ name }) => name),
      ['pump'],
    );

    // The device goes away: that is told once.
    await device.close();
    await viewer.send('GET', '/services/assets/pump/_read');
    assert.deepEqual(await look(viewer), []);
  },
);

test(
  'a node that is bad is told as long as the server reports it, and no longer',
  needs('asyncua'),
  async (t) => {
    const server = await startAsyncuaServer();
    t.after(() => server[Symbol.asyncDispose]());
    const node = (name: string) => ({
      name,
      type: 'READ',
      valueType: 'INTEGER',
      address: { nodeId: `nsu=urn:penstock:test;s=${name}` },
    });
    const gateway = await startGateway(t, {
      config: {
        provision: {
          identities: [{ name: 'viewer', permissions: ['rest.events', 'rest.assets'], password: PASSWORD }],
          drivers: [
            {
              pid: 'plc',
              type: 'opcua',
              endpointUrl: `opc.tcp://127.0.0.1:${server.port}`,
              securityMode: 'NONE',
            },
          ],
          assets: [{ pid: 'tank', driver: 'plc', channels: [node('level'), node('trend')] }],
        },
      },
    });
    const viewer = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
    await viewer.login('viewer', PASSWORD);
    const look = async (): Promise<readonly string[]> => {
      const { json } = await viewer.send('GET', STATUS);
      return answerOf(checkStatus, { json }).checks.flatMap(({ check, detail }) =>
        check === 'channel' ? [detail] : [],
      );
    };
    const stream = new EventStreamClient(t, {
      port: gateway.httpsPorts[0] ?? 0,
      path: '/services/assets/tank/_listen?minimumIntervalMs=100',
      headers: { Cookie: viewer.cookie ?? '', 'X-XSRF-Token': viewer.xsrfToken ?? '' },
    });
    const heard = async (pattern: RegExp): Promise<void> => {
      const from = stream.events.length;
      await stream.find(({ data }) => pattern.test(JSON.stringify(data)), from);
    };
    await stream.find(({ type }) => type === 'snapshot');
    assert.deepEqual(await look(), []);
    const bad = heard(/FAILURE/);
    await server.burst('trend', [[5, 0x808c_0000, Date.now()]]);
    await bad;
    const [told = ''] = await look();
    assert.match(told, /^trend: .*BadSensorFailure/);
    const good = heard(/"value":6/);
    await server.burst('trend', [[6, 0, Date.now()]]);
    await good;
    assert.deepEqual(await look(), []);

    // Those who read see it as well, and a listener that leaves does not undo that.
    await server.burst('trend', [[5, 0x808c_0000, Date.now()]]);
    await viewer.send('GET', '/services/assets/tank/_read');
    assert.equal((await look()).length, 1);
    await stream.close();
    assert.equal((await look()).length, 1);
    await server.burst('trend', [[7, 0, Date.now()]]);
    await viewer.send('GET', '/services/assets/tank/_read');
    assert.deepEqual(await look(), []);
  },
);
