import assert from 'node:assert/strict';
import { test } from 'node:test';

import { takeInheritedSockets } from '../../../../daemon/machine/service/inherited-sockets.ts';

test('takeInheritedSockets uses the variables only when they are meant for this process', () => {
  const environment: Record<string, string | undefined> = {
    LISTEN_FDS: '1',
    LISTEN_PID: '1',
    LISTEN_FDNAMES: 'x',
  };
  assert.equal(takeInheritedSockets({ environment, processId: 2 }).size, 0);
  assert.deepEqual(environment, {});
});
