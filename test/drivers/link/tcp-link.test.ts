import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '../../../daemon/base/clock.ts';
import type { ByteLinkEvents } from '../../../drivers/link/byte-link.ts';
import { TcpLink } from '../../../drivers/link/tcp-link.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const UNEXPECTED: ByteLinkEvents = {
  onChunk: (bytes) => assert.fail(`${bytes.length} bytes came in`),
  onClose: (cause) => assert.fail(cause),
};

interface Peer extends AsyncDisposable {
  readonly port: number;
  readonly sockets: readonly Socket[];
}

async function startPeer(): Promise<Peer> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function createLink(port: number, clock = systemClock): TcpLink {
  return new TcpLink({ host: '127.0.0.1', port, connectTimeoutMs: 1000, clock });
}

test('open fails with CONNECT_TIMEOUT after connectTimeoutMs and leaves no socket behind', async () => {
  await using peer = await startPeer();
  const clock = new ManualClock();
  const link = createLink(peer.port, clock);
  const opening = link.open(new AbortController().signal, UNEXPECTED);
  clock.advance(1000);
  await assert.rejects(opening, { code: 'CONNECT_TIMEOUT' });
  for (const socket of peer.sockets) if (!socket.closed) await once(socket, 'close');
});

test('an aborted open fails with a ConnectionError', async () => {
  await using peer = await startPeer();
  const abort = new AbortController();
  const opening = createLink(peer.port).open(abort.signal, UNEXPECTED);
  abort.abort(new Error('enough'));
  await assert.rejects(opening, { code: 'CONNECT_ABORTED' });
});

test('the signal of the attempt does not close the link later', async () => {
  await using peer = await startPeer();
  const abort = new AbortController();
  const link = createLink(peer.port);
  let onBytes: (bytes: Buffer) => void = () => undefined;
  const received = new Promise<Buffer>((resolve) => {
    onBytes = resolve;
  });
  await link.open(abort.signal, {
    onChunk: (bytes) => onBytes(Buffer.from(bytes)),
    onClose: UNEXPECTED.onClose,
  });
  abort.abort();
  while (peer.sockets.length === 0) await new Promise((resolve) => setImmediate(resolve));
  peer.sockets[0]?.write('still here');
  assert.equal(String(await received), 'still here');
  link.close();
});

test('a reset by the far end is reported by onClose with its cause', async () => {
  await using peer = await startPeer();
  const link = createLink(peer.port);
  const cause = new Promise<Error>((resolve) => {
    void link
      .open(new AbortController().signal, { onChunk: UNEXPECTED.onChunk, onClose: resolve })
      .then(async () => {
        while (peer.sockets.length === 0) await new Promise((turn) => setImmediate(turn));
        peer.sockets[0]?.resetAndDestroy();
      });
  });
  assert.equal((await cause).message, 'ECONNRESET');
});

test('a link that was closed reports nothing and sends nothing', async () => {
  await using peer = await startPeer();
  const link = createLink(peer.port);
  await link.open(new AbortController().signal, UNEXPECTED);
  while (peer.sockets.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const [socket] = peer.sockets;
  assert.ok(socket);
  const gone = once(socket, 'close');
  link.close();
  link.close();
  link.send(Buffer.from('late'));
  await gone;
  assert.equal(socket.bytesRead, 0);
});

test('a name that no name server knows is shown with the remedy', async () => {
  const host = 'plc.invalid';
  const link = new TcpLink({ host, port: 502, connectTimeoutMs: 60_000, clock: systemClock });
  await assert.rejects(link.open(new AbortController().signal, UNEXPECTED), {
    code: 'CONNECT_FAILED',
    message:
      /^no connection to plc\.invalid:502: unknown host name plc\.invalid; .*DNS.*, or use an address \((?:ENOTFOUND|EAI_AGAIN)\)$/,
  });
});

test('close lets the far end receive what is under way; with TAKEN_BACK it gets a reset instead', async () => {
  for (const [undelivered, isReset] of [
    ['LEFT', false],
    ['TAKEN_BACK', true],
  ] as const) {
    await using peer = await startPeer();
    const link = createLink(peer.port);
    await link.open(new AbortController().signal, UNEXPECTED);
    while (peer.sockets.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const [socket] = peer.sockets;
    assert.ok(socket !== undefined);
    const { promise: ended, resolve } = Promise.withResolvers<boolean>();
    socket.on('end', () => resolve(false)).on('error', () => resolve(true));
    link.send(Buffer.of(1));
    link.close(undelivered);
    assert.equal(await ended, isReset);
    link.close(undelivered);
  }
});

test('open fails with ADDRESS_REFUSED for a metadata service, however its address is written', async () => {
  for (const host of ['169.254.169.254', '::ffff:169.254.169.254', '0xa9fea9fe']) {
    const link = new TcpLink({ host, port: 80, connectTimeoutMs: 1000, clock: new ManualClock() });
    await assert.rejects(
      link.open(new AbortController().signal, UNEXPECTED),
      { code: 'ADDRESS_REFUSED' },
      host,
    );
  }
});
