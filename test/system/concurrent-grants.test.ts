import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { checkRights } from '../../daemon/cli/doctor/check-authentication.ts';
import { grantCommands } from '../../daemon/cli/identity/identity-grants.ts';
import { addCalls, createRestClient } from '../../daemon/cli/client/rest-client.ts';
import type { RestClient } from '../../daemon/cli/client/rest-client.ts';
import { changeIdentity, readIdentity } from '../../daemon/interface/security/identities.ts';
import { startGateway } from '../support/gateway.ts';

async function setUp(t: TestContext) {
  const address = { unitId: 1, table: 'HOLDING_REGISTERS', offset: 0, dataType: 'INT16' };
  const level = { name: 'level', type: 'READ_WRITE', valueType: 'INTEGER', address };
  const provision = {
    rest: { recordDetails: false },
    identities: [{ name: 'operator', permissions: [] }],
    drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: 1 }],
    assets: [{ pid: 'boiler', driver: 'line', channels: [level] }],
  };
  const gateway = await startGateway(t, { config: { provision } });
  const client = createRestClient({ socketPath: path.join(gateway.dataDirectory, 'penstock.sock') });
  const userName = 'operator';
  const find = () => client.exchange(readIdentity, { body: { userName } });
  const put = (assets: readonly string[], headers: Readonly<Record<string, string>> = {}) => {
    const grants = assets.map((asset) => ({ assets: [asset], operations: ['READ'] as const }));
    return client.exchange(changeIdentity, { body: { userName, grants }, headers });
  };
  const notes: string[] = [];
  const run = (words: readonly string[], options: object, using: RestClient = client): Promise<void> => {
    const [word = '', ...others] = words;
    const command = grantCommands[word];
    assert.ok(command !== undefined);
    return command.run({
      words: others,
      command: `identity ${word}`,
      options: { ...options },
      settings: [],
      terminal: {
        print: () => undefined,
        note: (text) => void notes.push(text),
        stopSignal: new AbortController().signal,
      },
      isJson: false,
      show: () => undefined,
      client: using,
    });
  };
  const listed = async (): Promise<readonly string[]> =>
    ((await find()).body.grants ?? []).flatMap(({ assets }) => assets);
  return { gateway, client, find, put, run, listed, notes };
}

test('a change of an identity that is meant for an earlier state of it is refused', async (t) => {
  const { gateway, find, put, listed } = await setUp(t);
  const before = (await find()).headers.etag ?? '';
  const { headers } = await put(['one'], { 'If-Match': before });
  assert.equal(headers.etag, (await find()).headers.etag);
  assert.notEqual(headers.etag, before);
  await assert.rejects(put(['two'], { 'If-Match': before }), { code: 'STATUS_412' });
  await assert.rejects(put(['two'], { 'If-Match': '"7"' }), { code: 'STATUS_412' });
  assert.deepEqual(await listed(), ['one']);
  await put(['three'], { 'If-Match': `${before}, ${headers.etag ?? ''}` });
  await put(['four'], { 'If-Match': '*' });
  await put(['five']);
  assert.deepEqual(await listed(), ['five']);
  await gateway.stop();
});

test('rights that are given at once are all given', async (t) => {
  const { gateway, run, listed } = await setUp(t);
  const names = Array.from({ length: 8 }, (_, index) => `line${index}`);
  await Promise.all(names.map((asset) => run(['grant', 'operator'], { asset: [asset] })));
  assert.deepEqual([...(await listed())].sort(), names);
  await gateway.stop();
});

test('a right is taken by its number only while the number means the same right', async (t) => {
  const { gateway, client, put, run, listed } = await setUp(t);
  const meanwhile = (assets: readonly string[]): RestClient => {
    let isDone = false;
    return addCalls({
      ...client,
      async send(method, place, request) {
        if (method === 'PUT' && !isDone) {
          isDone = true;
          await put(assets);
        }
        return client.send(method, place, request);
      },
    });
  };
  await put(['one', 'two', 'three']);
  await run(['revoke', 'operator', '2'], {}, meanwhile(['one', 'two', 'three', 'four']));
  assert.deepEqual(await listed(), ['one', 'three', 'four']);
  const renumbered = run(['revoke', 'operator', '2'], {}, meanwhile(['three', 'four']));
  await assert.rejects(renumbered, { code: 'GRANTS_CHANGED' });
  assert.deepEqual(await listed(), ['three', 'four']);
  await run(['revoke', 'operator'], { all: true }, meanwhile(['five', 'six']));
  assert.deepEqual(await listed(), []);
  await gateway.stop();
});

test('a gateway that does not tell the rights of an identity keeps them', async (t) => {
  const { gateway, client, put, run, listed } = await setUp(t);
  await put(['one', 'two']);
  const withoutDetails = addCalls({
    ...client,
    send: (method, place, request) =>
      client.send(method, place, {
        ...request,
        headers: { ...request?.headers, Prefer: 'handling=lenient' },
      }),
  });
  await assert.rejects(run(['grant', 'operator'], { asset: ['three'] }, withoutDetails), {
    code: 'GRANTS_HIDDEN',
  });
  assert.deepEqual(await listed(), ['one', 'two']);
  await gateway.stop();
});

test('a right that matches nothing is given, and a hint says so, as doctor does', async (t) => {
  const { gateway, client, run, notes, listed } = await setUp(t);
  await run(['grant', 'operator'], { asset: ['boi*'], channel: ['lev*'] });
  assert.deepEqual(notes, []);
  await run(['grant', 'operator'], { asset: ['boilr', 'line9-*'] });
  await run(['grant', 'operator'], { asset: ['boiler'], channel: ['levle'] });
  await run(['grant', 'operator'], { asset: ['gone'], until: '2001-01-01T00:00:00Z' });
  const hints = [
    'no asset matches boilr; did you mean "boiler"?',
    'no asset matches line9-*; expected boiler',
    'no channel of boiler matches levle; did you mean "level"?',
  ];
  assert.deepEqual(
    notes.slice(0, 3),
    hints.map((hint) => `${hint}\n`),
  );
  assert.equal((await listed()).length, 5);
  const permissions = ['rest.asset', 'rest.assets'];
  await client.call(changeIdentity, {}, { userName: 'operator', permissions });
  const findings = await checkRights(client);
  assert.deepEqual(
    findings.map(({ check, state, detail }) => [check, state, detail]),
    ['nothing uses the permission rest.asset; did you mean "rest.assets"?', ...hints].map((detail) => [
      'identity operator',
      'WARNING',
      detail,
    ]),
  );
  await gateway.stop();
});
