import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import type { Owner } from './temporary-directory.ts';

/** A TCP proxy before a broker that makes a bad network. */
export interface MqttProxy {
  readonly port: number;
  /** Ends every connection with a reset. */
  cut(): void;
  /** Drops PUBACKs from now on: the broker has the messages, the client never learns of it. */
  swallowPubacks(isOn: boolean): void;
  /** Number of PUBACKs that were dropped. */
  readonly swallowed: number;
  /** Passes on everything in pieces of one or two bytes. */
  halve(isOn: boolean): void;
  /** Delays everything towards the client. */
  delay(ms: number): void;
  /** Reads nothing of the broker, as a client that is busy. */
  hold(isOn: boolean): void;
}

const PUBACK = 4;

/** Starts a proxy; it ends with the test. */
export async function startMqttProxy(owner: Owner, brokerPort: number): Promise<MqttProxy> {
  const sockets = new Set<Socket>();
  const fars = new Set<Socket>();
  const state = { isSwallowing: false, isHalving: false, delayMs: 0, swallowed: 0 };
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: brokerPort, host: '127.0.0.1', noDelay: true });
    fars.add(far);
    far.on('close', () => fars.delete(far));
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.on('data', (bytes: Buffer) => write(far, bytes, state.isHalving));
    const split = createPacketSplitter();
    let last = Promise.resolve();
    far.on('data', (bytes: Buffer) => {
      for (const packet of split(bytes)) {
        if (state.isSwallowing && (packet[0] ?? 0) >> 4 === PUBACK) {
          state.swallowed += 1;
          continue;
        }
        const { delayMs } = state;
        last = last.then(async () => {
          if (delayMs > 0) await delay(delayMs);
          write(near, packet, state.isHalving);
        });
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  owner.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    swallowPubacks: (isOn) => void (state.isSwallowing = isOn),
    get swallowed() {
      return state.swallowed;
    },
    halve: (isOn) => void (state.isHalving = isOn),
    delay: (ms) => void (state.delayMs = ms),
    hold(isOn) {
      for (const far of fars) {
        if (isOn) far.pause();
        else far.resume();
      }
    },
  };
}

function write(socket: Socket, bytes: Uint8Array, isHalving: boolean): void {
  if (socket.destroyed) return;
  if (!isHalving) {
    socket.write(bytes);
    return;
  }
  for (let index = 0; index < bytes.length; index += 2) socket.write(bytes.subarray(index, index + 2));
}

/** Returns a function that returns the packets which are complete with these bytes. */
export function createPacketSplitter(): (bytes: Uint8Array) => readonly Buffer[] {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const packets: Buffer[] = [];
    for (
      let length = lengthOf(rest);
      length !== undefined && length <= rest.length;
      length = lengthOf(rest)
    ) {
      packets.push(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    return packets;
  };
}

function lengthOf(bytes: Buffer): number | undefined {
  let length = 0;
  for (let index = 1; index <= 4; index += 1) {
    const byte = bytes[index];
    if (byte === undefined) return undefined;
    length += (byte & 0x7f) * 128 ** (index - 1);
    if (byte < 0x80) return 1 + index + length;
  }
  return undefined;
}
