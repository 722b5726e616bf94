import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import {
  listKuraIdentities,
  listKuraPermissions,
  readDefaultKuraIdentity,
  readKuraIdentity,
  readKuraRequirements,
} from '../../daemon/interface/kura/identities.ts';
import { listPermissions } from '../../daemon/interface/security/identities.ts';
import { answerOf, failureOf } from '../support/answer-of.ts';
import { startGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import type { ClientAnswer } from '../support/https-client.ts';

const PASSWORD = 'a-word-of-the-boss-1';
const ROOT = '/services/identity/v2';
const PARTS = ['AdditionalConfigurations', 'AssignedPermissions', 'PasswordConfiguration'];

type Ask = (method: string, place: string, body?: unknown) => Promise<ClientAnswer>;

/** Starts a gateway; returns a client for each of two identities, an administrator and one that manages identities. */
async function openBench(t: TestContext): Promise<{ chief: Ask; clerk: Ask; anonymous: Ask }> {
  const gateway = await startGateway(t, {
    config: {
      provision: {
        rest: { basicAuthenticationEnabled: true },
        identities: [
          { name: 'chief', permissions: ['rest.admin'], password: PASSWORD },
          { name: 'clerk', permissions: ['rest.identity'], password: PASSWORD },
        ],
      },
    },
  });
  const port = gateway.httpsPorts[0] ?? 0;
  const askAs =
    (name: string, password = PASSWORD): Ask =>
    (method, place, body) => {
      const Authorization = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
      const path = place.startsWith('/') ? place : `${ROOT}/${place}`;
      return send({ port }, method, path, {
        ...(name === '' ? {} : { headers: { Authorization } }),
        ...(body === undefined ? {} : { body }),
      });
    };
  return { chief: askAs('chief'), clerk: askAs('clerk'), anonymous: askAs('') };
}

const named = (name: string) => ({ identity: { name } });

/** Asserts that a change was accepted as Kura does: 200 without a body and without a type. */
function assertEmpty({ status, text, headers }: ClientAnswer): void {
  assert.deepEqual([status, text, headers['content-type']], [200, '', undefined], text);
}

function assertRefused(answer: ClientAnswer, status: number, message: RegExp): void {
  assert.equal(answer.status, status, answer.text);
  assert.match(failureOf(answer).message, message);
}

test('an identity is created, changed, shown and deleted as in identity/v2 of Kura', async (t) => {
  const { chief } = await openBench(t);
  assertEmpty(await chief('POST', 'identities', { name: 'panel.1' }));
  const show = async (parts?: readonly string[]) =>
    answerOf(
      readKuraIdentity,
      await chief('POST', 'identities/byName', { ...named('panel.1'), configurationComponents: parts }),
    );
  assert.deepEqual(await show(), named('panel.1'));
  assert.deepEqual(await show(PARTS), {
    ...named('panel.1'),
    permissionConfiguration: { permissions: [] },
    passwordConfiguration: { passwordChangeNeeded: false, passwordAuthEnabled: false },
    additionalConfigurations: { configurations: [] },
  });
  assertEmpty(
    await chief('PUT', 'identities', {
      ...named('panel.1'),
      unknownMember: 1,
      permissionConfiguration: { permissions: [{ name: 'rest.assets' }] },
      passwordConfiguration: {
        passwordChangeNeeded: true,
        passwordAuthEnabled: true,
        password: 'a-word-of-screens-7',
      },
      additionalConfigurations: null,
    }),
  );
  assert.deepEqual(await show(['PasswordConfiguration', 'AssignedPermissions']), {
    ...named('panel.1'),
    permissionConfiguration: { permissions: [{ name: 'rest.assets' }] },
    passwordConfiguration: { passwordChangeNeeded: true, passwordAuthEnabled: true },
  });
  // What the request does not have stays, and a password is not used if passwordAuthEnabled is false.
  const passwordConfiguration = { passwordChangeNeeded: false, passwordAuthEnabled: false, password: 'x' };
  assertEmpty(await chief('PUT', 'identities', { ...named('panel.1'), passwordConfiguration }));
  const listed = answerOf(listKuraIdentities, await chief('GET', 'identities'));
  assert.deepEqual(
    listed.find(({ identity }) => identity.name === 'panel.1'),
    {
      ...named('panel.1'),
      permissionConfiguration: { permissions: [{ name: 'rest.assets' }] },
      passwordConfiguration: { passwordChangeNeeded: false, passwordAuthEnabled: false },
      additionalConfigurations: { configurations: [] },
    },
  );
  assertEmpty(await chief('DELETE', 'identities', { name: 'panel.1' }));
  assertRefused(await chief('DELETE', 'identities', { name: 'panel.1' }), 404, /unknown identity/);
  assertRefused(await chief('POST', 'identities/byName', named('panel.1')), 404, /unknown identity/);
});

test('a wrong request of identity/v2 is answered with 400, and an existing name with 409', async (t) => {
  const { chief } = await openBench(t);
  for (const body of [
    { nm: 'identity' },
    { name: ' ' },
    { name: 'a' },
    { name: 'two  words' },
    { name: 'a..b' },
    {},
  ])
    assertRefused(await chief('POST', 'identities', body), 400, /name/);
  assertRefused(await chief('POST', 'identities', { name: 'chief' }), 409, /already exists/);
  const change = (parts: object, name = 'clerk') => chief('PUT', 'identities', { ...named(name), ...parts });
  const permissionsOf = (name: string) => ({ permissionConfiguration: { permissions: [{ name }] } });
  const passwordOf = (password?: string) => ({
    passwordConfiguration: { passwordChangeNeeded: false, passwordAuthEnabled: true, password },
  });
  assertRefused(await change({}, 'unknown'), 400, /unknown identity/);
  assertRefused(await change(permissionsOf('rest.nothing')), 400, /unknown permission "rest\.nothing"/);
  assertRefused(await change(passwordOf('password')), 400, /most common passwords/);
  assertRefused(await change(passwordOf('with a space 17')), 400, /white space/);
  assertRefused(
    await change({ passwordConfiguration: { passwordAuthEnabled: true } }),
    400,
    /passwordChangeNeeded/,
  );
  const additionalConfigurations = { configurations: [{ pid: 'org.example', properties: {} }] };
  assertRefused(await change({ additionalConfigurations }), 400, /pid "org\.example"/);
  assertEmpty(await chief('POST', 'identities', { name: 'silent' }));
  assertRefused(await change(passwordOf(), 'silent'), 400, /requires a password/);
  const parts = { ...named('clerk'), configurationComponents: ['Everything'] };
  assertRefused(await chief('POST', 'identities/byName', parts), 400, /configurationComponents/);
  assertRefused(await chief('DELETE', 'identities', { name: 'chief' }), 409, /last identity/);
  assertRefused(await chief('POST', 'identities', undefined), 400, /body/);
});

test('what a new identity would have is shown for any name, and a change is checked without being made', async (t) => {
  const { chief } = await openBench(t);
  const body = { ...named('unknown'), configurationComponents: PARTS };
  assert.deepEqual(
    answerOf(readDefaultKuraIdentity, await chief('POST', 'identities/default/byName', body)),
    {
      ...named('unknown'),
      permissionConfiguration: { permissions: [] },
      passwordConfiguration: { passwordChangeNeeded: false, passwordAuthEnabled: false },
      additionalConfigurations: { configurations: [] },
    },
  );
  const passwordConfiguration = {
    passwordChangeNeeded: false,
    passwordAuthEnabled: true,
    password: 'long-enough-5',
  };
  assertEmpty(await chief('POST', 'identities/validate', { ...named('unknown'), passwordConfiguration }));
  const weak = { ...passwordConfiguration, password: 'password' };
  const refused = await chief('POST', 'identities/validate', {
    ...named('unknown'),
    passwordConfiguration: weak,
  });
  assertRefused(refused, 400, /common/);
  const permissionConfiguration = { permissions: [{ name: 'no.such' }] };
  const unknown = await chief('POST', 'identities/validate', { ...named('clerk'), permissionConfiguration });
  assertRefused(unknown, 400, /unknown permission/);
  const names = answerOf(listKuraIdentities, await chief('GET', 'identities')).map(
    ({ identity }) => identity.name,
  );
  assert.ok(!names.includes('unknown'));
});

test('a defined permission can be given, and is taken from all identities when it is deleted', async (t) => {
  const { chief, clerk, anonymous } = await openBench(t);
  const list = async () => answerOf(listKuraPermissions, await chief('GET', 'definedPermissions'));
  const builtIn = await list();
  assertEmpty(await chief('POST', 'permissions', { name: 'shift.leader' }));
  assert.deepEqual(
    (await list()).map(({ name }) => name).toSorted(),
    [...builtIn.map(({ name }) => name), 'shift.leader'].toSorted(),
  );
  const ofV1 = answerOf(listPermissions, await chief('GET', '/services/identity/v1/definedPermissions'));
  assert.ok(ofV1.permissions.includes('shift.leader'));
  assertRefused(await chief('POST', 'permissions', { name: 'shift.leader' }), 409, /already exists/);
  assertRefused(await chief('POST', 'permissions', { name: 'rest.admin' }), 409, /already exists/);
  for (const name of ['', 'ab', 'under_score', 'a..b'])
    assertRefused(await chief('POST', 'permissions', { name }), 400, /name/);
  const permissionConfiguration = { permissions: [{ name: 'shift.leader' }] };
  assertEmpty(await chief('POST', 'identities', { name: 'night' }));
  assertEmpty(await chief('PUT', 'identities', { ...named('night'), permissionConfiguration }));
  // A clerk cannot take what it could not give.
  assertRefused(await clerk('DELETE', 'permissions', { name: 'shift.leader' }), 403, /shift\.leader/);
  assertRefused(
    await clerk('PUT', 'identities', { ...named('clerk'), permissionConfiguration }),
    403,
    /shift\.leader/,
  );
  assertEmpty(await chief('DELETE', 'permissions', { name: 'shift.leader' }));
  const night = await chief('POST', 'identities/byName', {
    ...named('night'),
    configurationComponents: PARTS,
  });
  assert.deepEqual(answerOf(readKuraIdentity, night).permissionConfiguration, { permissions: [] });
  assertRefused(await chief('DELETE', 'permissions', { name: 'shift.leader' }), 404, /unknown permission/);
  assertRefused(await chief('DELETE', 'permissions', { name: 'rest.assets' }), 409, /belongs to the gateway/);
  assert.equal((await anonymous('GET', 'definedPermissions')).status, 401);
  const requirements = answerOf(readKuraRequirements, await anonymous('GET', 'passwordStrenghtRequirements'));
  assert.equal(typeof requirements.passwordMinimumLength, 'number');
  assert.deepEqual(Object.keys(requirements), [
    'passwordMinimumLength',
    'digitsRequired',
    'specialCharactersRequired',
    'bothCasesRequired',
  ]);
});
