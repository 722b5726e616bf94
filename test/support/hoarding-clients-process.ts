import { connect as connectTcp } from 'node:net';
import { connect } from 'node:tls';

import type { HoardingClients } from './hoarding-clients.ts';

// One process of clients that ask for much and take little. It gets its task over IPC, because header fields are secrets.

process.once('message', (clients: HoardingClients) => {
  let opened = 0;
  for (let index = 0; index < clients.connections; index += 1) {
    open(clients, `127.0.0.${1 + (index % clients.addresses)}`, () => {
      opened += 1;
      if (opened === clients.connections) process.send?.('ALL_SENT');
    });
  }
});
process.once('disconnect', () => process.exit());

function open(
  { port, requests, isPipelined, reading }: HoardingClients,
  localAddress: string,
  onSent: () => void,
): void {
  const raw = connectTcp({ port, host: '127.0.0.1', localAddress });
  raw.on('error', () => undefined);
  const socket = connect({ socket: raw, rejectUnauthorized: false });
  let isSent = false;
  const sent = (): void => {
    if (isSent) return;
    isSent = true;
    onSent();
  };
  socket.on('error', () => undefined);
  // A client that is refused is done.
  socket.once('close', sent);
  socket.once('secureConnect', () => {
    if (reading === 'NEVER') socket.pause();
    socket.write(isPipelined ? requests.join('') : (requests[0] ?? ''), sent);
  });
  socket.on('data', (chunk: Buffer) => {
    if (reading !== 'SLOWLY') return;
    socket.pause();
    setTimeout(() => socket.resume(), chunk.length / BYTES_PER_MS);
  });
}

// 16 KiB in a second.
const BYTES_PER_MS = 16;
