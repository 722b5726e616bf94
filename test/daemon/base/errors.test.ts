import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';

import { messageOf } from '../../../daemon/base/errors.ts';
import { findFreePorts } from '../../support/free-ports.ts';

test('messageOf returns the text of an Error, and of anything else', () => {
  assert.deepEqual([messageOf(new Error('lost')), messageOf('lost'), messageOf(7)], ['lost', 'lost', '7']);
});

test('messageOf has the reason of each address of a name that refuses', async () => {
  const [port = 0] = await findFreePorts(1);
  const socket = connect({
    port,
    host: 'plc.example',
    lookup: (_host, _options, found) => {
      const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
      found(null, addresses);
    },
  });
  const [error] = (await once(socket, 'error')) as [unknown];
  assert.equal(
    messageOf(error),
    `connect ECONNREFUSED 127.0.0.1:${port}; connect ECONNREFUSED 127.0.0.2:${port}`,
  );
});
