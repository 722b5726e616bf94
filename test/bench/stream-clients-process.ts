import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';

import { serveRemote } from './remote.ts';

/** Clients that open a stream and take what comes. */
export interface StreamClients {
  readonly port: number;
  readonly request: string;
  readonly count: number;
}

/** What came since the previous count. */
export interface StreamCount {
  readonly changes: number;
  /** Changes that the gateway has dropped, because a client was too slow. */
  readonly gaps: number;
}

const EVENT = Buffer.from('\nevent: ');
const CHANGE = Buffer.from('change');
const GAP = Buffer.from('gap');

const sockets = new Set<TLSSocket>();
let changes = 0;
let gaps = 0;

serveRemote({ open, count, close });

async function open({ port, request, count: wanted }: StreamClients): Promise<void> {
  // One after the other, as users do: a first answer is as large as all channels together.
  for (let index = 0; index < wanted; index += 1) await openStream(port, request);
}

function openStream(port: number, request: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    sockets.add(socket);
    socket.on('error', reject).once('close', () => sockets.delete(socket));
    socket.once('secureConnect', () => socket.write(request));
    socket.once('data', () => resolve());
    socket.on('data', countEvents);
  });
}

/** Counts the events that begin in some bytes; one whose first line is cut in two is missed, which is rare. */
function countEvents(bytes: Buffer): void {
  for (let at = bytes.indexOf(EVENT); at !== -1; at = bytes.indexOf(EVENT, at + EVENT.length)) {
    const type = bytes.subarray(at + EVENT.length);
    if (startsWith(type, CHANGE)) changes += 1;
    else if (startsWith(type, GAP)) gaps += 1;
  }
}

function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.subarray(0, prefix.length).equals(prefix);
}

function count(): StreamCount {
  const counted = { changes, gaps };
  changes = 0;
  gaps = 0;
  return counted;
}

function close(): void {
  for (const socket of sockets) socket.destroy();
}
