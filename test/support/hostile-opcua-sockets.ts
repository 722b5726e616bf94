import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

import type { Owner } from './temporary-directory.ts';

const HELLO_ACKNOWLEDGED = acknowledge({ chunkBytes: 0xffff_ffff });
/** What something that is no OPC UA server may do with a connection, by what it does. */
export const HOSTILE_ANSWERS: Readonly<Record<string, (socket: Socket) => void>> = {
  'sends garbage': (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'claims a message of 2 GB': (socket) => {
    const header = Buffer.from('MSGF\0\0\0\0', 'latin1');
    header.writeUInt32LE(0x7fff_ffff, 4);
    socket.write(Buffer.concat([HELLO_ACKNOWLEDGED, header]));
  },
  'claims a message of no length': (socket) => socket.write(Buffer.from('ACKF\0\0\0\0', 'latin1')),
  'sends chunks without end': (socket) => {
    const chunk = Buffer.alloc(60_000);
    chunk.write('MSGC', 'latin1');
    chunk.writeUInt32LE(chunk.length, 4);
    socket.write(HELLO_ACKNOWLEDGED);
    const pour = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', pour);
    pour();
  },
  'sends half a message': (socket) => socket.write(HELLO_ACKNOWLEDGED.subarray(0, 11)),
  'ends at once': (socket) => socket.end(),
  'sends undecodable bytes': (socket) => {
    const message = Buffer.alloc(100, 0xff);
    message.write('OPNF', 'latin1');
    message.writeUInt32LE(message.length, 4);
    socket.write(Buffer.concat([HELLO_ACKNOWLEDGED, message]));
  },
  'sends nothing': () => undefined,
};

/** Answers every connection so, once something came over it; returns the port. */
export async function serveHostile(t: Owner, answer: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const listening = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    listening.close();
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return (listening.address() as AddressInfo).port;
}

function acknowledge({ chunkBytes }: { readonly chunkBytes: number }): Buffer {
  const message = Buffer.alloc(28);
  message.write('ACKF', 'latin1');
  message.writeUInt32LE(message.length, 4);
  message.writeUInt32LE(chunkBytes, 12);
  message.writeUInt32LE(chunkBytes, 16);
  return message;
}
