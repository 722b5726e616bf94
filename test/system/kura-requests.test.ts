import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { findFreePort } from '../support/free-ports.ts';
import { startGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import type { ClientAnswer } from '../support/https-client.ts';
import { answerOf } from '../support/answer-of.ts';
import { listIdentities, readIdentity } from '../../daemon/interface/security/identities.ts';
import { readAsset } from '../../daemon/interface/plant/assets.ts';

const PASSWORD = 'a-kura-client-word';
const SETTINGS = { basicAuthenticationEnabled: true, recordDetails: false };
const GRANTS = [{ assets: ['pump'], operations: ['READ'] }];
const IDENTITIES = '/services/identity/v1/identities';

const channel = (name: string, offset: number): object => ({
  name,
  type: 'READ_WRITE',
  valueType: 'INTEGER',
  address: { unitId: 1, table: 'HOLDING_REGISTERS', offset, dataType: 'INT16' },
});

type Ask = (
  method: string,
  place: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<ClientAnswer>;

/** A gateway whose only device is out of reach, and a client with BASIC credentials of an administrator. */
async function openBench(t: TestContext): Promise<Ask> {
  const drivers = [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: await findFreePort() }];
  const gateway = await startGateway(t, {
    config: {
      provision: {
        rest: { basicAuthenticationEnabled: true },
        identities: [
          { name: 'chief', permissions: ['rest.admin'], password: PASSWORD },
          { name: 'clerk', permissions: [], grants: GRANTS, password: PASSWORD },
        ],
        drivers,
        assets: [
          {
            pid: 'pump',
            driver: 'line',
            channels: ['a', 'b', 'c'].map((name, index) => channel(name, index)),
          },
        ],
      },
    },
  });
  const Authorization = `Basic ${Buffer.from(`chief:${PASSWORD}`).toString('base64')}`;
  return (method, place, body, headers = {}) =>
    send({ port: gateway.httpsPorts[0] ?? 0 }, method, place, {
      headers: { Authorization, ...headers },
      ...(body === undefined ? {} : { body }),
    });
}

const namesOf = ({ json }: ClientAnswer): unknown =>
  answerOf(readAsset, { json })
    .map(({ name }) => name)
    .join(' ');

test('channels of a read may be listed in every way of clients', async (t) => {
  const ask = await openBench(t);
  const read = (query: string): Promise<ClientAnswer> => ask('GET', `/services/assets/pump/_read?${query}`);
  const lists = [
    'channels=c,a',
    'channels=c&channels=a',
    'channels[]=c&channels[]=a',
    'channels%5B%5D=c&channels%5B%5D=a',
    'channels[0]=c&channels[1]=a',
    'channels=c&channels[]=a',
    'channels[]=c,a&other=x',
  ];
  for (const query of lists) assert.equal(namesOf(await read(query)), 'c a', query);
  assert.equal(namesOf(await read('channels[]=b')), 'b');
  for (const query of ['channels=', 'channels[]=', 'channels=a&channels=', 'Channels[]=a']) {
    assert.equal((await read(query)).status, 400, query);
  }
  const plan = await ask('GET', '/services/assets/pump/_plan?channels[]=nothing&channels=other');
  assert.match(plan.text, /"nothing".*"other"/);
  const doubled = await ask('POST', '/services/assets/pump/_write?dryRun=true&dryRun=false', {
    channels: [],
  });
  assert.equal(doubled.status, 400);
});

test('a body with a byte order mark is read', async (t) => {
  const ask = await openBench(t);
  const answer = await ask('POST', '/services/assets/pump/_read', '\ufeff{"channels":["a"]}');
  assert.equal(namesOf(answer), 'a');
  const configured = await ask('GET', '/services/configuration/v1/banners');
  const headers = { 'If-Match': '*', 'Content-Type': 'application/json' };
  const put = await ask('PUT', '/services/configuration/v1/banners', `\ufeff${configured.text}`, headers);
  assert.equal(put.status, 200, put.text);
});

test('members that are null are absent, in bodies of the specification and of identity/v1', async (t) => {
  const ask = await openBench(t);
  const record = { userName: 'scada', password: null, passwordAuthEnabled: null, passwordChangeNeeded: null };
  const created = await ask('POST', IDENTITIES, { ...record, permissions: ['rest.assets'], grants: null });
  assert.equal(created.status, 200, created.text);
  const changed = await ask('PUT', IDENTITIES, { ...record, permissions: null });
  assert.equal(changed.status, 200, changed.text);
  const shown = await ask('POST', `${IDENTITIES}/byName`, { userName: 'scada', password: null });
  assert.deepEqual(answerOf(readIdentity, shown).permissions, ['rest.assets']);

  const read = await ask('POST', '/services/assets/pump/_read', { channels: ['a'], other: null });
  assert.equal(namesOf(read), 'a');
  const element = { name: 'a', type: 'INTEGER', value: 3, ifValue: null, unit: null };
  const tried = await ask('POST', '/services/assets/pump/_write?dryRun=true', { channels: [element] });
  assert.equal(tried.status, 200, tried.text);
  const without = await ask('POST', '/services/assets/pump/_write', {
    channels: [{ ...element, value: null }],
  });
  assert.equal(without.status, 400);
  assert.match(without.text, /channels\[0\]\.value/);
  // Elsewhere null is what it was: no value that a setting could have.
  const headers = { 'If-Match': '*' };
  const banners = { preLogin: { enabled: null, message: '' } };
  assert.equal((await ask('PUT', '/services/configuration/v1/banners', banners, headers)).status, 400);
});

test('a request without body and content type is answered with 400 where a body is needed', async (t) => {
  const ask = await openBench(t);
  for (const [method, place] of [
    ['POST', '/services/deploy/v2/_install'],
    ['POST', '/services/deploy/v2/_upload'],
    ['PUT', '/services/deploy/v2/_packageDescriptor'],
    ['POST', '/services/assets/pump/_read'],
    ['POST', '/services/assets/pump/_write'],
    ['POST', IDENTITIES],
    ['POST', '/services/session/v1/login/password'],
    ['POST', '/services/token/jwt/v1/refresh'],
    ['PUT', '/services/configuration/v1/banners'],
  ] as const) {
    if (place.includes('refresh')) {
      const on = { jwtAuthenticationEnabled: true, basicAuthenticationEnabled: true };
      const put = await ask('PUT', '/services/configuration/v1/rest', on, { 'If-Match': '*' });
      assert.equal(put.status, 200, put.text);
    }
    const { status, text } = await ask(method, place, undefined, { 'Content-Length': '0' });
    assert.equal(status, 400, `${method} ${place} ${text}`);
    const typed = await ask(method, place, 'x', { 'Content-Type': 'image/png' });
    assert.equal(typed.status, 415, `${method} ${place}`);
  }
  // What is missing is told only to those that may send it.
  const anonymous = await ask('POST', '/services/deploy/v2/_install', undefined, {
    Authorization: 'none',
    'Content-Length': '0',
  });
  assert.equal(anonymous.status, 401);
});

test('identity/v1 answers as that of Kura: changes without a body, and 400 for a name that exists', async (t) => {
  const ask = await openBench(t);
  const body = { userName: 'scada', permissions: ['rest.assets'] };
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const answer = await ask(method, IDENTITIES, body);
    assert.equal(answer.status, 200, method);
    assert.equal(answer.text, '', method);
    assert.equal(answer.headers['content-type'], undefined, method);
    if (method === 'POST') assert.equal((await ask(method, IDENTITIES, body)).status, 400);
  }
  assert.equal((await ask('PUT', IDENTITIES, body)).status, 404);
});

test('without details, records have the members of Kura alone, unless the client prefers others', async (t) => {
  const ask = await openBench(t);
  const put = await ask('PUT', '/services/configuration/v1/rest', SETTINGS, { 'If-Match': '*' });
  assert.equal(put.status, 200, put.text);
  const membersOf = (json: unknown): string =>
    Object.keys((json as readonly object[])[0] ?? {})
      .toSorted()
      .join(' ');
  const FAILED = 'channelStatus name timestamp valueType';
  assert.equal(membersOf((await ask('GET', '/services/assets/pump/_read')).json), FAILED);
  assert.equal(
    membersOf((await ask('POST', '/services/assets/pump/_read', { channels: ['a'] })).json),
    FAILED,
  );
  const element = { name: 'a', type: 'INTEGER', value: 3 };
  const written = await ask('POST', '/services/assets/pump/_write', { channels: [element] });
  assert.equal(membersOf(written.json), `${FAILED.slice(0, -10)} value valueType`);
  const listed = (await ask('GET', '/services/assets/pump')).json;
  assert.equal(membersOf(listed), 'isEnabled name scaleOffsetType type valueOffset valueScale valueType');
  const { userConfig } = answerOf(listIdentities, await ask('GET', IDENTITIES));
  const IDENTITY = 'passwordAuthEnabled passwordChangeNeeded permissions userName';
  assert.equal(membersOf(userConfig), IDENTITY);
  const named = { userName: 'clerk' };
  assert.equal(membersOf([(await ask('POST', `${IDENTITIES}/byName`, named)).json]), IDENTITY);
  const current = '/services/session/v1/currentIdentity';
  const as = { Authorization: `Basic ${Buffer.from(`clerk:${PASSWORD}`).toString('base64')}` };
  const own = await ask('GET', current, undefined, as);
  assert.deepEqual(own.json, { name: 'clerk', passwordChangeNeeded: false, permissions: [] });

  const prefer = { Prefer: 'respond-async, Record-Details' };
  const detailed = await ask('GET', '/services/assets/pump/_read', undefined, prefer);
  assert.match(membersOf(detailed.json), /quality statusCode/);
  const grantee = await ask('POST', `${IDENTITIES}/byName`, named, prefer);
  assert.match(membersOf([grantee.json]), /grants .*secondFactorEnabled/);
  assert.match((await ask('GET', current, undefined, { ...as, ...prefer })).text, /grants/);
});
