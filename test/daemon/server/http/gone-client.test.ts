import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';

import { ok } from '../../../../daemon/server/http/answer.ts';
import { createRoute, openApplication } from './application-fixture.ts';

test('an operation whose client has gone is recorded once, by its own outcome', async (t) => {
  const begun = Promise.withResolvers<ServerResponse>();
  const end = Promise.withResolvers<void>();
  const { port, recorded } = await openApplication(t, [
    createRoute({
      async handle({ response }) {
        begun.resolve(response);
        await end.promise;
        return ok({ done: true });
      },
    }),
  ]);
  const client = connect(port, '127.0.0.1', () => client.write('GET /thing HTTP/1.1\r\nHost: a\r\n\r\n'));
  const response = await begun.promise;
  const closed = once(response, 'close');
  client.destroy();
  await closed;
  end.resolve();
  await setImmediate();
  await setImmediate();
  assert.deepEqual(recorded, [200]);
});
