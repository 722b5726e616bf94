import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readAsset, writeChannels } from '../../daemon/interface/plant/assets.ts';
import { answerOf, failureOf } from '../support/answer-of.ts';
import { EventStreamClient } from '../support/event-stream-client.ts';
import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { needs } from '../support/tests-that-need.ts';

const PASSWORD = 'not-available-turbine';

/** The part of a record that streams show as reads do. */
type ReadRecord = ReturnType<typeof answerOf<typeof readAsset>>[number];

// Each register of the device holds its own address.
const holding = (name: string, offset: number, dataType: string, more: object = {}) => ({
  name,
  type: 'READ',
  valueType: 'DOUBLE',
  address: { table: 'HOLDING_REGISTERS', offset, dataType },
  ...more,
});

const array = (name: string, offset: number, more: object) => ({
  ...holding(name, offset, 'INT16', { valueType: 'STRING', ...more }),
  address: { table: 'HOLDING_REGISTERS', offset, dataType: 'INT16', count: 3 },
});

test(
  'raw values that mean "not available" are failures in reads and lists, and are never written',
  needs('libmodbus'),
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const gateway = await startGateway(t, {
      config: {
        provision: {
          identities: [
            {
              name: 'operator',
              permissions: ['rest.assets', 'rest.configuration', 'rest.events'],
              password: PASSWORD,
            },
          ],
          drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: device.port }],
          assets: [
            {
              pid: 'pump',
              driver: 'line',
              channels: [
                holding('plain', 0x8000, 'INT16', { valueScale: 0.1 }),
                holding('absent', 0x8000, 'INT16', { valueScale: 0.1, notAvailable: [0x8000] }),
                holding('sunspec', 0x8000, 'INT16', { notAvailable: ['SUNSPEC'] }),
                holding('present', 0x8001, 'INT16', { notAvailable: [0x8000] }),
                holding('range', 500, 'UINT16', { notAvailable: ['499-501'] }),
                array('some', 0x7fff, { notAvailable: [0x8000, 0x7fff] }),
                array('none', 0x7fff, { notAvailable: ['-32768--32767', 0x7fff] }),
                holding('setpoint', 100, 'INT16', {
                  type: 'READ_WRITE',
                  valueScale: 0.1,
                  notAvailable: [0x8000],
                }),
              ],
            },
          ],
        },
      },
    });
    const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
    await client.login('operator', PASSWORD);
    const records = answerOf(readAsset, await client.send('GET', '/services/assets/pump/_read'));
    assert.deepEqual(
      records.map(({ name, value, quality, statusCode }) => [name, value, quality, statusCode]),
      [
        ['plain', -3276.8, 'GOOD', undefined],
        ['absent', undefined, 'BAD', 'VALUE_NOT_AVAILABLE'],
        ['sunspec', undefined, 'BAD', 'VALUE_NOT_AVAILABLE'],
        ['present', -32_767, 'GOOD', undefined],
        ['range', undefined, 'BAD', 'VALUE_NOT_AVAILABLE'],
        ['some', '[null,null,-32767]', 'GOOD', undefined],
        ['none', undefined, 'BAD', 'VALUE_NOT_AVAILABLE'],
        ['setpoint', 10, 'GOOD', undefined],
      ],
    );
    assert.equal(records[1]?.channelStatus.channelFlag, 'FAILURE');
    assert.match(records[1]?.channelStatus.exceptionMessage ?? '', /-32768 means "not available"/);
    // The device responds, so no channel is listed as failing.
    const { json: status } = await client.send('GET', '/services/assets/_status');
    assert.doesNotMatch(JSON.stringify(status), /failingChannels/);

    const [port = 0] = gateway.httpsPorts;
    const stream = new EventStreamClient(t, {
      port,
      path: '/services/assets/pump/_listen?channels=absent',
      headers: { Cookie: client.cookie ?? '', 'X-XSRF-Token': client.xsrfToken ?? '' },
    });
    const { data } = await stream.find(({ type }) => type === 'snapshot');
    assert.deepEqual(
      (data as readonly ReadRecord[]).map(({ value, quality, statusCode }) => [value, quality, statusCode]),
      [[undefined, 'BAD', 'VALUE_NOT_AVAILABLE']],
    );

    const write = async (value: number) => {
      const body = { channels: [{ name: 'setpoint', type: 'DOUBLE', value }] };
      const answer = await client.send('POST', '/services/assets/pump/_write', { body });
      return answerOf(writeChannels, answer)[0];
    };
    const refused = await write(-3276.8);
    assert.deepEqual(
      [refused?.channelStatus.channelFlag, refused?.statusCode, refused?.outcome],
      ['FAILURE', 'VALUE_NOT_AVAILABLE', 'NOT_SENT'],
    );
    const after = await client.send('GET', '/services/assets/pump/_read?channels=setpoint');
    assert.equal(answerOf(readAsset, after)[0]?.value, 10);
    assert.equal((await write(-3276))?.channelStatus.channelFlag, 'SUCCESS');

    const bad = {
      pid: 'pump',
      driver: 'line',
      channels: [
        holding('a', 1, 'INT16', { notAvailable: [0, 70_000] }),
        holding('b', 1, 'UINT16', { notAvailable: ['9-3'] }),
        holding('c', 1, 'BCD16', { notAvailable: ['SUNSPEC'] }),
      ],
    };
    const put = await client.send('PUT', '/services/configuration/v1/assets/pump', {
      body: bad,
      headers: { 'If-Match': '*' },
    });
    assert.equal(put.status, 400);
    const { faults = [] } = failureOf(put);
    const shown = faults.map(({ path, message }) => `${path} ${message}`);
    assert.equal(shown.length, 3);
    assert.match(shown[0] ?? '', /notAvailable.*1.* 70000 is not a signed 16-bit integer$/);
    assert.match(shown[1] ?? '', /notAvailable.*0.* the range is reversed: 9 is above 3$/);
    assert.match(shown[2] ?? '', /notAvailable.*0.* SUNSPEC has no value for a decimal type/);
  },
);
