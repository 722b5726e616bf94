import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import type { TestContext } from 'node:test';
import { getClientCertificate } from '../../support/certificate-authority.ts';
import { startGateway } from '../../support/gateway.ts';
import type { RunningGateway } from '../../support/gateway.ts';
import { send } from '../../support/https-client.ts';
import { SCALE_CHANNELS, startInstrument } from '../../support/serial-instrument.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const { test } = testsThatNeed('python3', 'socat');

interface ResultRecord {
  readonly channelStatus: { readonly channelFlag: string; readonly exceptionMessage?: string };
  readonly value?: unknown;
}

function startWithScale(t: TestContext, device: string): Promise<RunningGateway> {
  const framing = { type: 'delimiter', delimiter: '\\r\\n' };
  const provision = {
    rest: { statelessCertificateAuthenticationEnabled: true },
    identities: [{ name: 'scada', permissions: ['rest.assets'] }],
    drivers: [{ pid: 'line', type: 'serial', device, framing, responseTimeoutMs: 2000 }],
    assets: [{ pid: 'scale', driver: 'line', channels: Object.values(SCALE_CHANNELS) }],
  };
  return startGateway(t, { config: { provision } });
}

async function createCaller(t: TestContext, { clientAuthPorts: [port = 0] }: RunningGateway) {
  const { certificate: cert, privateKey: key } = await getClientCertificate('scada');
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, cert, key });
  t.after(() => agent.destroy());
  return async (method: string, path: string, body?: unknown): Promise<readonly ResultRecord[]> => {
    const { status, json } = await send({ port, agent }, method, `/services/assets/scale/${path}`, { body });
    assert.equal(status, 200);
    return json as readonly ResultRecord[];
  };
}

test('a scale on a serial line is read and written over REST, pulled, and found again', async (t) => {
  await using pair = await openSerialPair();
  const gateway = await startWithScale(t, pair.gateway);
  const call = await createCaller(t, gateway);
  const values = async () => (await call('GET', '_read')).map(({ value }) => value);
  const write = async (value: number) => {
    const channels = [{ name: 'setpoint', type: 'DOUBLE', value }];
    const [record] = await call('POST', '_write', { channels });
    return record?.channelStatus;
  };
  {
    await using _scale = await startInstrument('scale', pair.instrument);
    assert.deepEqual(await values(), [12.5, 10]);
    assert.deepEqual(await write(55.5), { channelFlag: 'SUCCESS' });
    assert.match((await write(500))?.exceptionMessage ?? '', /ERR 2/);
    assert.deepEqual(await values(), [12.5, 55.5]);
  }
  for (const { channelStatus } of await call('GET', '_read')) {
    assert.match(channelStatus.exceptionMessage ?? '', /did not respond within 2000 ms/);
  }
  await pair.unplug();
  for (const { channelStatus } of await call('GET', '_read')) {
    assert.match(channelStatus.exceptionMessage ?? '', /serial line gateway/);
  }
  await pair.replug();
  await using _scale = await startInstrument('scale', pair.instrument);
  while ((await values())[0] !== 12.5) await new Promise((resolve) => setImmediate(resolve));
});
