import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { getClientCertificate } from '../../support/certificate-authority.ts';
import { startGateway } from '../../support/gateway.ts';
import { send } from '../../support/https-client.ts';
import { startMeters } from '../../support/iec-meter.ts';
import { openScriptedInstrument } from '../../support/serial-instrument.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const { test } = testsThatNeed('python3', 'socat');

interface ResultRecord {
  readonly name: string;
  readonly channelStatus: { readonly channelFlag: string };
  readonly statusCode?: string;
  readonly outcome?: string;
  readonly value?: unknown;
}

async function startPlant(t: TestContext, driver: object, channels: readonly object[]) {
  const gateway = await startGateway(t, {
    config: {
      provision: {
        rest: { statelessCertificateAuthenticationEnabled: true },
        identities: [{ name: 'scada', permissions: ['rest.assets'] }],
        drivers: [{ pid: 'line', type: 'serial', ...driver }],
        assets: [{ pid: 'device', driver: 'line', channels }],
      },
    },
  });
  const client = { port: gateway.clientAuthPorts[0] ?? 0, ...(await getClientCertificate('scada')) };
  return async (method: string, place: string, body?: object): Promise<readonly ResultRecord[]> => {
    const path = `/services/assets/device/${place}`;
    const { status, json } = await send(client, method, path, body === undefined ? {} : { body });
    assert.equal(status, 200);
    return json as readonly ResultRecord[];
  };
}

test('over REST a damaged answer is no value, and a refused write says so', async (t) => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const call = await startPlant(
    t,
    {
      device: pair.gateway,
      framing: { type: 'delimiter', delimiter: '\\r\\n' },
      checksum: { kind: 'SUM', form: 'HEX', retries: 0 },
      refuse: '^NO',
      responseTimeoutMs: 5000,
    },
    [
      {
        name: 'level',
        type: 'READ_WRITE',
        valueType: 'DOUBLE',
        address: {
          request: 'L?{checksum}\\r\\n',
          response: { pattern: '^L([0-9.]+)$' },
          write: 'L{value}{checksum}\\r\\n',
          acknowledge: '^OK$',
        },
      },
    ],
  );
  const damaged = call('GET', '_read');
  await instrument.expect('L?8B\r\n');
  instrument.send('L7.500\r\n');
  const [bad] = await damaged;
  assert.deepEqual([bad?.statusCode, bad?.value], ['SERIAL_CHECKSUM_MISMATCH', undefined]);
  const good = call('GET', '_read');
  await instrument.expect('L?8B\r\n');
  instrument.send('L7.5E6\r\n');
  assert.equal((await good)[0]?.value, 7.5);
  const refused = call('POST', '_write', { channels: [{ name: 'level', type: 'DOUBLE', value: 9 }] });
  await instrument.expect('L985\r\n');
  instrument.send('NO9D\r\n');
  const [no] = await refused;
  assert.deepEqual([no?.channelStatus.channelFlag, no?.statusCode], ['FAILURE', 'SERIAL_REFUSED']);
});

test('over REST a meter is read by OBIS codes', async (t) => {
  const lines = ['F.F(00000000)', '1.8.0(000123.456*kWh)', '0.0.0(05296170)'];
  await using meters = await startMeters([{ identification: '/EMH4\\@01LZQJL0014F', lines }]);
  const call = await startPlant(
    t,
    {
      device: meters.device,
      framing: { type: 'IEC62056_21', maximumBaudRate: 300 },
      responseTimeoutMs: 10_000,
      callDeadlineMs: 60_000,
    },
    [
      { name: 'energy', type: 'READ', valueType: 'DOUBLE', address: { obis: '1.8.0', unit: 'Wh' } },
      { name: 'number', type: 'READ', valueType: 'STRING', address: { obis: '0.0.0' } },
      { name: 'power', type: 'READ', valueType: 'DOUBLE', address: { obis: '16.7.0' } },
    ],
  );
  assert.deepEqual(
    (await call('GET', '_read')).map(({ value, statusCode }) => statusCode ?? value),
    [123_456, '05296170', 'SERIAL_OBIS_NOT_FOUND'],
  );
  assert.deepEqual(meters.heard, ["'/?!'", "'\\x06000'"]);
});
