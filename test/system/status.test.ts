import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import { findFreePort } from '../support/free-ports.ts';
import { SessionClient } from '../support/https-client.ts';
import { answerOf } from '../support/answer-of.ts';
import { checkStatus, listCertificates } from '../../daemon/interface/status.ts';

const PASSWORD = 'status-test-password';
const ROOT = '/services/status/v1';

interface Check {
  readonly check: string;
  readonly name?: string;
  readonly state: string;
  readonly detail: string;
  readonly [field: string]: unknown;
}

test('the gateway tells how it is, without asking a device, and lists its certificates', async (t) => {
  const closed = await findFreePort();
  const gateway = await startGateway(t, {
    config: {
      provision: {
        identities: [
          { name: 'viewer', permissions: ['rest.events', 'rest.assets'], password: PASSWORD },
          { name: 'guest', permissions: ['rest.assets'], password: PASSWORD },
        ],
        drivers: ['gone', 'idle'].map((pid) => ({ pid, type: 'modbus', host: '127.0.0.1', port: closed })),
        assets: [
          {
            pid: 'plant',
            driver: 'gone',
            channels: [
              {
                name: 'a',
                type: 'READ',
                valueType: 'INTEGER',
                address: { table: 'HOLDING_REGISTERS', offset: 1, dataType: 'INT16' },
              },
            ],
          },
        ],
      },
    },
  });
  const viewer = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await viewer.login('viewer', PASSWORD);
  const look = async (kind: string): Promise<readonly Check[]> => {
    const { status, json } = await viewer.send('GET', ROOT);
    assert.equal(status, 200);
    return answerOf(checkStatus, { json }).checks.filter(({ check }) => check === kind);
  };
  const statesOf = (checks: readonly Check[]) => checks.map(({ name, state }) => [name, state]);
  assert.deepEqual(statesOf(await look('connection')), [
    ['gone', 'UNKNOWN'],
    ['idle', 'UNKNOWN'],
  ]);
  await viewer.send('GET', '/services/assets/plant/_read');
  assert.deepEqual(statesOf(await look('connection')), [
    ['gone', 'WRONG'],
    ['idle', 'UNKNOWN'],
  ]);
  assert.deepEqual(statesOf(await look('clock')), [[undefined, 'GOOD']]);
  const [disk] = await look('disk');
  assert.ok(Number(disk?.['freeBytes']) <= Number(disk?.['totalBytes']));
  assert.equal((await look('certificate')).length, 2);
  assert.deepEqual(statesOf(await look('reload')), [[undefined, 'GOOD']]);

  writeFileSync(gateway.configFile, 'colour: red\n');
  gateway.process.kill('SIGHUP');
  await gateway.line('reload.failed');
  let [reload] = await look('reload');
  while (reload?.state !== 'WRONG') [reload] = await look('reload');
  assert.match(reload.detail, /colour/);
  assert.equal(reload.detail.includes(gateway.directory), false);

  const { json } = await viewer.send('GET', `${ROOT}/certificates`);
  const { certificates, revocationLists } = answerOf(listCertificates, { json });
  assert.deepEqual(
    certificates.map(({ role }) => role),
    ['SERVER', 'CLIENT_AUTHORITY'],
  );
  const isInForce = (from: number, until: number): boolean => from < Date.now() && Date.now() < until;
  assert.ok(certificates.every(({ validFrom, validUntil }) => isInForce(validFrom, validUntil)));
  assert.equal(revocationLists, 0);

  const guest = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await guest.login('guest', PASSWORD);
  for (const path of [ROOT, `${ROOT}/certificates`]) {
    assert.equal((await guest.send('GET', path)).status, 403);
  }
});
