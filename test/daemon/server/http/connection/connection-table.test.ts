import assert from 'node:assert/strict';
import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';

import type { Connection } from '../../../../../daemon/server/http/connection/connection.ts';
import {
  ConnectionTable,
  MAXIMUM_CONNECTIONS,
  MAXIMUM_KNOWN_PER_NETWORK,
  MAXIMUM_STRANGERS_PER_NETWORK,
} from '../../../../../daemon/server/http/connection/connection-table.ts';
import { createByteBudget } from '../../../../support/connection-table.ts';
import { createRequest } from '../request-fixture.ts';

/** Returns an unconnected socket that reports a peer address. */
function createSocket(remoteAddress: string, remotePort: number): Socket {
  return Object.defineProperties(new Socket(), {
    remoteAddress: { value: remoteAddress },
    remotePort: { value: remotePort },
  });
}

function createTable(isProxy: (address: string) => boolean = () => false) {
  const table = new ConnectionTable({ budget: createByteBudget(), isProxy });
  let port = 1000;
  function admit(address: string): { socket: Socket; connection: Connection | undefined } {
    port += 1;
    const socket = createSocket(address, port);
    return { socket, connection: table.admit(socket) };
  }
  return { table, admit };
}

/** Returns addresses of as many networks as unauthenticated connections need to fill the port. */
function fillers(): readonly string[] {
  const networks = MAXIMUM_CONNECTIONS / MAXIMUM_STRANGERS_PER_NETWORK;
  return Array.from({ length: networks }, (_, index) => `192.0.2.${index}`).flatMap((address) =>
    Array.from({ length: MAXIMUM_STRANGERS_PER_NETWORK }, () => address),
  );
}

function serve(connection: Connection | undefined, socket: Socket): ServerResponse {
  const response = new ServerResponse(createRequest({}, socket));
  connection?.serve({ response, begin: () => undefined });
  return response;
}

for (const [what, address] of [
  ['an IPv4 address', () => '192.0.2.1'],
  ['a /64 of IPv6', (index: number) => `2001:db8::${index.toString(16)}`],
] as const) {
  test(`${what} has a share of unauthenticated connections; beyond it, the oldest idle one is closed`, () => {
    const { admit, table } = createTable();
    const all = Array.from({ length: MAXIMUM_STRANGERS_PER_NETWORK }, (_, index) => admit(address(index)));
    const other = admit('198.51.100.7');
    assert.ok(all.every(({ socket }) => !socket.destroyed));
    assert.ok(admit(address(999)).connection !== undefined);
    assert.deepEqual(
      all.map(({ socket }) => socket.destroyed),
      all.map((_, index) => index === 0),
    );
    assert.equal(other.socket.destroyed, false);
    assert.equal(table.size, MAXIMUM_STRANGERS_PER_NETWORK + 1);
  });
}

test('a connection that has served a request is no longer the oldest idle one', async () => {
  const { admit } = createTable();
  const all = Array.from({ length: MAXIMUM_STRANGERS_PER_NETWORK }, () => admit('192.0.2.1'));
  const [first, second] = all;
  assert.ok(first !== undefined && second !== undefined);
  const response = serve(first.connection, first.socket);
  assert.equal(first.connection?.isIdle, false);
  response.destroy();
  await once(response, 'close');
  assert.equal(first.connection?.isIdle, true);
  admit('192.0.2.1');
  assert.deepEqual([first.socket.destroyed, second.socket.destroyed], [false, true]);
});

test('a connection with a running request is closed only after all idle ones', () => {
  const { admit } = createTable();
  const [busy, ...idle] = Array.from({ length: MAXIMUM_STRANGERS_PER_NETWORK }, () => admit('192.0.2.1'));
  assert.ok(busy !== undefined);
  serve(busy.connection, busy.socket);
  for (const { socket } of idle) {
    const { connection, socket: newSocket } = admit('192.0.2.1');
    assert.equal(socket.destroyed, true);
    serve(connection, newSocket);
  }
  assert.equal(busy.socket.destroyed, false);
  admit('192.0.2.1');
  assert.equal(busy.socket.destroyed, true);
});

test('when all connections are in use, the oldest idle unauthenticated connection of any network is closed', () => {
  const { admit, table } = createTable();
  const known = admit('203.0.113.1');
  known.connection?.noteIdentity('a');
  const strangers = fillers().slice(1).map(admit);
  assert.equal(table.size, MAXIMUM_CONNECTIONS);
  assert.ok(strangers.every(({ socket }) => !socket.destroyed));
  assert.ok(admit('203.0.113.9').connection !== undefined);
  assert.equal(strangers[0]?.socket.destroyed, true);
  assert.equal(strangers[1]?.socket.destroyed, false);
  assert.equal(known.socket.destroyed, false);
});

test('when known clients hold all connections, a new one is refused and none is closed', () => {
  const { admit } = createTable();
  const known = fillers().map((address) => {
    const entry = admit(address);
    entry.connection?.noteVerified({ find: () => undefined });
    return entry;
  });
  assert.equal(admit('203.0.113.9').connection, undefined);
  assert.ok(known.every(({ socket }) => !socket.destroyed));
});

test('beyond its share of known connections, a network uses its share of unauthenticated ones', () => {
  const { admit } = createTable();
  const known = Array.from({ length: MAXIMUM_KNOWN_PER_NETWORK }, () => {
    const entry = admit('192.0.2.1');
    entry.connection?.noteIdentity('a');
    return entry;
  });
  const beyond = Array.from({ length: MAXIMUM_STRANGERS_PER_NETWORK }, () => admit('192.0.2.1'));
  for (const { connection } of beyond) connection?.noteIdentity('a');
  admit('192.0.2.1');
  assert.equal(beyond[0]?.socket.destroyed, true);
  assert.ok(known.every(({ socket }) => !socket.destroyed));
});

test('a trusted proxy is not limited to a share, because it serves many clients', () => {
  const { admit } = createTable((address) => address === '192.0.2.1');
  const all = Array.from({ length: 2 * MAXIMUM_STRANGERS_PER_NETWORK }, () => admit('192.0.2.1'));
  assert.ok(all.every(({ socket }) => !socket.destroyed));
});

test('closed connections leave nothing behind', async () => {
  const { admit, table } = createTable();
  const all = fillers().map(admit);
  all[0]?.connection?.noteIdentity('a');
  for (const { socket } of all) socket.destroy();
  await Promise.all(all.map(({ socket }) => once(socket, 'close')));
  assert.equal(table.size, 0);
  const again = Array.from({ length: MAXIMUM_STRANGERS_PER_NETWORK }, () => admit('192.0.2.0'));
  assert.ok(again.every(({ socket }) => !socket.destroyed));
});
