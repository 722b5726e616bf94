import assert from 'node:assert/strict';
import { test } from 'node:test';

import { listChannels, readChannels, writeChannels } from '../../daemon/interface/plant/assets.ts';
import { answerOf } from '../support/answer-of.ts';
import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { needs } from '../support/tests-that-need.ts';

const PASSWORD = 'turbine-password';
const ASSET = '/services/assets/meter';

const address = (offset: number): object => ({ table: 'HOLDING_REGISTERS', offset, dataType: 'INT16' });
const channel = (name: string, offset: number, more: object = {}): object => ({
  name,
  type: 'READ_WRITE',
  valueType: 'DOUBLE',
  address: address(offset),
  ...more,
});

test(
  'a value with a scale in the device is read and written over REST, and a wrong scale is refused by name',
  needs('libmodbus'),
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const gateway = await startGateway(t, {
      config: {
        provision: {
          identities: [
            { name: 'engineer', permissions: ['rest.configuration', 'rest.assets'], password: PASSWORD },
          ],
          drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: device.port }],
          assets: [
            {
              pid: 'meter',
              driver: 'line',
              channels: [
                channel('power', 10, { scaleFrom: { channel: 'powerScale' } }),
                channel('powerScale', 11, { valueType: 'INTEGER' }),
                channel('energy', 12, { scaleFrom: { address: address(13), kind: 'FACTOR' } }),
              ],
            },
          ],
        },
      },
    });
    const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
    await client.login('engineer', PASSWORD);
    const listed = await client.send('GET', ASSET);
    assert.deepEqual(
      answerOf(listChannels, listed).map(({ scaleFrom }) => scaleFrom),
      [{ channel: 'powerScale', kind: 'EXPONENT' }, undefined, { kind: 'FACTOR' }],
    );
    const write = async (name: string, type: string, value: number) => {
      const body = { channels: [{ name, type, value }] };
      return answerOf(writeChannels, await client.send('POST', `${ASSET}/_write`, { body }))[0];
    };
    const read = async (...names: string[]) => {
      const body = { channels: names };
      return answerOf(readChannels, await client.send('POST', `${ASSET}/_read`, { body }));
    };
    assert.equal((await write('powerScale', 'INTEGER', -2))?.outcome, 'ACKNOWLEDGED');
    const [power, energy] = await read('power', 'energy');
    assert.deepEqual([power?.value, energy?.value], [0.1, 156]);
    assert.equal((await write('power', 'DOUBLE', 231.57))?.outcome, 'ACKNOWLEDGED');
    assert.equal((await read('power'))[0]?.value, 231.57);
    await write('powerScale', 'INTEGER', -32_768);
    const [failed] = await read('power');
    assert.deepEqual([failed?.quality, failed?.statusCode], ['BAD', 'VALUE_NOT_AVAILABLE']);

    const path = '/services/configuration/v1/assets/wrong';
    const body = { driver: 'line', channels: [channel('power', 10, { scaleFrom: { channel: 'scale' } })] };
    const refused = await client.send('PUT', path, { body, headers: { 'If-Match': '*' } });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /unknown channel \\"scale\\"/);
  },
);
