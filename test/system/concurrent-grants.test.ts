import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { grantCommands } from '../../daemon/cli/identity-grants.ts';
import { createRestClient } from '../../daemon/cli/rest-client.ts';
import type { RestAnswer, RestClient } from '../../daemon/cli/rest-client.ts';
import { startGateway } from '../support/gateway.ts';

const IDENTITIES = '/services/identity/v1/identities';

interface Shown {
  readonly grants: readonly { readonly assets: readonly string[] }[];
}

async function setUp(t: TestContext) {
  const provision = { identities: [{ name: 'operator', permissions: [] }] };
  const gateway = await startGateway(t, { config: { provision } });
  const client = createRestClient({ socketPath: path.join(gateway.dataDirectory, 'penstock.sock') });
  const find = (): Promise<RestAnswer> =>
    client.send('POST', `${IDENTITIES}/byName`, { body: { userName: 'operator' } });
  const put = (assets: readonly string[], headers: Readonly<Record<string, string>> = {}) => {
    const grants = assets.map((asset) => ({ assets: [asset], operations: ['READ'] }));
    return client.send('PUT', IDENTITIES, { body: { userName: 'operator', grants }, headers });
  };
  const run = (words: readonly string[], options: object, using: RestClient = client): Promise<void> => {
    const [word = '', ...others] = words;
    const command = grantCommands[word];
    assert.ok(command !== undefined);
    return command.run({
      words: others,
      options: { ...options },
      settings: [],
      terminal: { print: () => undefined, note: () => undefined, stopSignal: new AbortController().signal },
      isJson: false,
      show: () => undefined,
      client: using,
    });
  };
  const listed = async (): Promise<readonly string[]> =>
    ((await find()).body as Shown).grants.flatMap(({ assets }) => assets);
  return { gateway, client, find, put, run, listed };
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
    return {
      ...client,
      async send(method, place, request) {
        if (method === 'PUT' && !isDone) {
          isDone = true;
          await put(assets);
        }
        return client.send(method, place, request);
      },
    };
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
