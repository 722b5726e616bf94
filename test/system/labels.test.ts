import assert from 'node:assert/strict';
import { test } from 'node:test';

import { listChannels, readAsset, writeChannels } from '../../daemon/interface/plant/assets.ts';
import { answerOf } from '../support/answer-of.ts';
import { EventStreamClient } from '../support/event-stream-client.ts';
import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { needs } from '../support/tests-that-need.ts';

const PASSWORD = 'labelled-turbine-mode';

const MODE = { '0': 'Off', '1': 'Heating', '2': 'Cooling' };

// Each register of the device holds its own address.
const mode = (name: string, offset: number) => ({
  name,
  type: 'READ_WRITE',
  valueType: 'INTEGER',
  labels: MODE,
  address: { table: 'HOLDING_REGISTERS', offset, dataType: 'UINT16' },
});

test(
  'labels are shown on request in reads and streams, and accepted in writes',
  needs('libmodbus'),
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const gateway = await startGateway(t, {
      config: {
        provision: {
          identities: [
            { name: 'operator', permissions: ['rest.assets', 'rest.configuration'], password: PASSWORD },
            {
              name: 'guest',
              password: PASSWORD,
              grants: [{ assets: ['pump'], channels: ['other'], operations: ['READ', 'WRITE'] }],
            },
          ],
          drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: device.port }],
          assets: [{ pid: 'pump', driver: 'line', channels: [mode('mode', 1), mode('other', 7)] }],
        },
      },
    });
    const [port = 0] = gateway.httpsPorts;
    const client = new SessionClient({ port });
    await client.login('operator', PASSWORD);
    const read = async (query: string): Promise<readonly (readonly unknown[])[]> => {
      const answer = await client.send('GET', `/services/assets/pump/_read${query}`);
      return answerOf(readAsset, answer).map(({ name, value, label }) => [name, value, label]);
    };
    assert.deepEqual(await read(''), [
      ['mode', 1, undefined],
      ['other', 7, undefined],
    ]);
    assert.deepEqual(await read('?labels=true'), [
      ['mode', 1, 'Heating'],
      ['other', 7, undefined],
    ]);
    assert.deepEqual(await read('?labels=false&channels=mode'), [['mode', 1, undefined]]);
    assert.equal((await client.send('GET', '/services/assets/pump/_read?labels=yes')).status, 400);
    const byBody = await client.send('POST', '/services/assets/pump/_read?labels=true', {
      body: { channels: ['mode'] },
    });
    assert.equal(answerOf(readAsset, byBody)[0]?.label, 'Heating');
    const listed = await client.send('GET', '/services/assets/pump');
    assert.deepEqual(answerOf(listChannels, listed)[0]?.labels, MODE);

    const headers = { Cookie: client.cookie ?? '', 'X-XSRF-Token': client.xsrfToken ?? '' };
    const streams = ['pump/_listen?labels=true', '_listen?assets=pump&labels=true'].map(
      (path) =>
        new EventStreamClient(t, {
          port,
          path: `/services/assets/${path}`,
          headers,
        }),
    );
    const write = async (
      by: SessionClient,
      name: string,
      value: unknown,
    ): Promise<readonly [number, unknown]> => {
      const body = { channels: [{ name, type: 'INTEGER', value }] };
      const { status, json } = await by.send('POST', '/services/assets/pump/_write?labels=true', { body });
      return [status, json];
    };
    const [status, json] = await write(client, 'mode', 'cooling');
    const [record] = answerOf(writeChannels, { json });
    assert.deepEqual(
      [status, record?.value, record?.label, record?.outcome],
      [200, 2, 'Cooling', 'ACKNOWLEDGED'],
    );
    assert.deepEqual(await read('?labels=true&channels=mode'), [['mode', 2, 'Cooling']]);
    for (const stream of streams) await stream.find(({ data }) => JSON.stringify(data).includes('"Cooling"'));

    const [refusedStatus, refused] = await write(client, 'mode', 'Drying');
    assert.equal(refusedStatus, 400);
    assert.match(
      JSON.stringify(refused),
      /channels\[0\]: the value .*Drying.* is neither a valid INTEGER nor a label; expected Off, Heating, Cooling/,
    );
    // The labels of a channel are shown to those who may see it.
    const guest = new SessionClient({ port });
    await guest.login('guest', PASSWORD);
    const [hiddenStatus, hidden] = await write(guest, 'mode', 'Drying');
    assert.equal(hiddenStatus, 400);
    assert.doesNotMatch(JSON.stringify(hidden), /Heating/);
    assert.equal((await write(guest, 'other', 'Off'))[0], 200);

    const body = {
      pid: 'pump',
      driver: 'line',
      channels: [{ ...mode('mode', 1), labels: { '0': 'Off', '1': 'off' } }],
    };
    const put = await client.send('PUT', '/services/configuration/v1/assets/pump', {
      body,
      headers: { 'If-Match': '*' },
    });
    assert.equal(put.status, 400);
    assert.match(JSON.stringify(put.json), /is ambiguous: it is the label of 0 as well/);
  },
);
