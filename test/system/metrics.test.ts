import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findFreePorts } from '../support/free-ports.ts';
import { startGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { needs } from '../support/tests-that-need.ts';

test('the state of a connection is measured from the first request on', needs('libmodbus'), async (t) => {
  const device = await startLibmodbusServer();
  t.after(() => device.close());
  const [metricsPort = 0, closed = 0] = await findFreePorts(2);
  const channel = {
    name: 'level',
    type: 'READ',
    valueType: 'INTEGER',
    address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 7, dataType: 'UINT16' },
  };
  const gateway = await startGateway(t, {
    config: {
      http: { ports: [0] },
      metrics: { host: '127.0.0.1', port: metricsPort },
      provision: {
        rest: { basicAuthenticationEnabled: true },
        identities: [{ name: 'scada', permissions: ['rest.assets'], password: 'a password 1' }],
        drivers: [
          { pid: 'there', type: 'modbus', host: '127.0.0.1', port: device.port },
          { pid: 'away', type: 'modbus', host: '127.0.0.1', port: closed },
        ],
        assets: ['there', 'away'].map((driver) => ({ pid: driver, driver, channels: [channel] })),
      },
    },
  });
  const [port = 0] = gateway.httpPorts;
  const headers = { Authorization: `Basic ${Buffer.from('scada:a password 1').toString('base64')}` };
  const getMeasured = async (): Promise<readonly string[]> => {
    const { text } = await send({ port: metricsPort, plain: true }, 'GET', '/metrics');
    return text.split('\n').filter((line) => line.startsWith('penstock_connection_up{'));
  };
  assert.deepEqual(await getMeasured(), []);
  for (const pid of ['there', 'away']) {
    await send({ port, plain: true }, 'GET', `/services/assets/${pid}/_read`, { headers });
  }
  assert.deepEqual(await getMeasured(), [
    'penstock_connection_up{driver="there"} 1',
    'penstock_connection_up{driver="away"} 0',
  ]);
});
