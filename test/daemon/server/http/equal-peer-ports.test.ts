import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { TLSSocket } from 'node:tls';

import { listenOnMachine } from '../../../../daemon/base/network/listen.ts';
import type { Listen } from '../../../../daemon/base/network/listen.ts';
import type { Application } from '../../../../daemon/server/http/application.ts';
import { Listener } from '../../../../daemon/server/http/connection/listener.ts';
import {
  getCertificateAuthority,
  getClientCertificate,
  getServerCertificate,
} from '../../../support/certificate-authority.ts';
import { createConnectionTable } from '../../../support/connection-table.ts';

const CLIENT = '127.0.0.9';

/** Answers with the names in the certificate of the connection. */
const showNames: Application = (_request, response, { connection }) =>
  response.end(JSON.stringify(connection.findCertificate(Date.now())?.commonNames));

async function connect(host: string, port: number, localPort?: number): Promise<Socket> {
  const socket = connectTcp({ host, port, localAddress: CLIENT, localPort });
  await once(socket, 'connect');
  return socket;
}

/** Shakes hands on a connection, and returns a function that asks whose it is. */
async function prove(socket: Socket, name: string): Promise<() => Promise<string>> {
  const { certificate, privateKey } = await getClientCertificate(name);
  const tls = connectTls({ socket, cert: certificate, key: privateKey, rejectUnauthorized: false });
  await once(tls, 'secureConnect');
  return async () => {
    tls.write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n');
    const [answer] = (await once(tls, 'data')) as [Buffer];
    return answer.toString();
  };
}

/** Makes two connections of one port of a peer, to two addresses of the machine, and asks each whose it is. */
async function askBoth(t: TestContext, listen?: Listen): Promise<readonly string[]> {
  const { certificate, privateKey } = await getServerCertificate();
  const authority = await getCertificateAuthority();
  const connections = createConnectionTable();
  const listener = new Listener({
    kind: 'https-client-auth',
    host: '0.0.0.0',
    port: 0,
    application: showNames,
    connections,
    drainMs: 0,
    listen,
    tls: {
      certificate,
      privateKey,
      clientCertificateAuthorities: [authority.certificate],
      certificateRevocationLists: [],
    },
  });
  await listener.start();
  t.after(() => listener.stop());
  const first = await connect('127.0.0.1', listener.port);
  t.after(() => first.destroy());
  const second = await connect('127.0.0.2', listener.port, first.localPort);
  t.after(() => second.destroy());
  assert.equal(first.localPort, second.localPort);
  while (connections.size < 2) await nextTurn();
  const askFirst = await prove(first, 'pump');
  const askSecond = await prove(second, 'valve');
  // Both handshakes are over, for the listener as well.
  await askSecond();
  return [await askFirst(), await askSecond()];
}

// A router that translates addresses may give two clients behind it the same port, where they connect to different addresses.
test('two connections of one port of a peer, to two addresses of the machine, keep their own certificates', async (t) => {
  const [first = '', second = ''] = await askBoth(t);
  assert.match(first, /\["pump"\]/);
  assert.match(second, /\["valve"\]/);
});

test('connections keep their own certificates where Node.js does not show which socket TLS runs on', async (t) => {
  const [first = '', second = ''] = await askBoth(t, (server, position) => {
    server.prependListener('secureConnection', (socket: TLSSocket) => Reflect.set(socket, '_parent', null));
    return listenOnMachine(server, position);
  });
  assert.match(first, /\["pump"\]/);
  assert.match(second, /\["valve"\]/);
});
