import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import { identity } from '../../../../daemon/cli/identity/identity.ts';
import type { ResultOf } from '../../../../daemon/interface/endpoint.ts';
import type { listIdentities } from '../../../../daemon/interface/security/identities.ts';

test('identities are listed and shown without the details that a gateway may leave out', async (t) => {
  const plain: ResultOf<typeof listIdentities>['userConfig'][number] = {
    userName: 'operator',
    passwordAuthEnabled: true,
    passwordChangeNeeded: false,
    permissions: ['rest.assets'],
  };
  const server = createServer((request, response) => {
    const isOne = request.url?.endsWith('/byName') === true;
    request.resume();
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(isOne ? plain : { userConfig: [plain] }));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close().closeAllConnections());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const command of [['list'], ['show', 'operator']]) {
    let printed = '';
    const terminal = {
      print: (text: string) => void (printed += text),
      note: () => undefined,
      stopSignal: new AbortController().signal,
    };
    await identity.run([...command, '--url', url], terminal);
    assert.match(printed, /^operator +set +rest\.assets$/m);
  }
});
