import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { getServerCertificate } from '../support/certificate-authority.ts';
import { RawConnection } from './raw-connection.ts';
import type { Outcome } from './raw-connection.ts';

const LARGE = 100_000;

/** Connects to a server that answers each request with the next of some answers, in the pieces that are given. */
async function connectTo(
  t: TestContext,
  answers: readonly (readonly string[])[],
  expectsFailures = false,
): Promise<() => Promise<Outcome>> {
  const { certificate, privateKey } = await getServerCertificate();
  const left = [...answers];
  const server = createServer({ cert: certificate, key: privateKey }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => void answer(socket, left.shift()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connection = await RawConnection.open({ port }, expectsFailures);
  t.after(() => {
    connection.close();
    server.close();
  });
  return () => new Promise((resolve) => connection.send(Buffer.from('GET'), resolve));
}

async function answer(socket: TLSSocket, pieces: readonly string[] | undefined): Promise<void> {
  if (pieces === undefined) socket.destroy();
  for (const piece of pieces ?? []) {
    // Each piece is a record of its own, which the client takes in before the next comes.
    await new Promise((resolve) => socket.write(piece, resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function format(status: string, body: string): string {
  return `HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

test('a connection takes answers one after the other, whole, in pieces and larger than its buffer', async (t) => {
  const inPieces = format('200 OK', 'body');
  const send = await connectTo(t, [
    [format('200 OK', 'first')],
    [inPieces.slice(0, 12), inPieces.slice(12, -2), inPieces.slice(-2)],
    [format('200 OK', 'x'.repeat(LARGE))],
    [format('200 OK', 'last')],
  ]);
  for (let count = 0; count < 4; count += 1) assert.equal(await send(), 'GOOD');
});

test('a connection tells refusals, other states and FAILURE records from good answers', async (t) => {
  const failure = `${'x'.repeat(LARGE)}FAILURE`;
  const answers = [format('503 Busy', ''), format('401 No', ''), format('200 OK', failure)];
  const send = await connectTo(
    t,
    answers.map((text) => [text]),
  );
  assert.deepEqual([await send(), await send(), await send()], ['REFUSED', 'BAD', 'BAD']);
  const sendAsDead = await connectTo(t, [[format('200 OK', 'FAILURE')]], true);
  assert.equal(await sendAsDead(), 'GOOD');
});

test('a connection that the server closes has a bad answer', async (t) => {
  const send = await connectTo(t, []);
  assert.equal(await send(), 'BAD');
});
