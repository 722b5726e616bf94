import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseListeningSockets } from '../../../../daemon/base/network/socket-table.ts';

const TABLE = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:01BB 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 23456 1 0000000000000000 100 0 0 10 0
   1: 00000000000000000000000001000000:115B 00000000000000000000000001000000:9C40 01 00000000:00000000 00:00000000 00000000     0        0 34567 1 0000000000000000 20 4 30 10 -1
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 12345 1 0000000000000000 100 0 0 10 0
`;

test('parseListeningSockets returns the listening sockets of both families by inode', () => {
  assert.deepEqual(
    [...parseListeningSockets(TABLE)],
    [
      ['23456', { port: 443, isEveryAddress: true, userId: 0 }],
      ['12345', { port: 8080, isEveryAddress: false, userId: 1000 }],
    ],
  );
});

test('parseListeningSockets returns nothing for an empty or damaged table', () => {
  assert.equal(parseListeningSockets('').size, 0);
  assert.equal(parseListeningSockets('sl\n:::\n0: 0100007F').size, 0);
});
