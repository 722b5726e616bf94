import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

import { createPacketSplitter } from './mqtt-proxy.ts';
import type { Owner } from './temporary-directory.ts';

/** Message that a client has published. */
export interface PublishedMessage {
  readonly topic: string;
  readonly payload: string;
  readonly qos: number;
}

/** Behaviour of a broker that speaks MQTT 5. */
export interface BrokerScript {
  /** Returns the reason code of CONNACK, or undefined for a broker that accepts and stays silent. Default: 0. */
  readonly connack?: (connection: number) => number | undefined;
  /** Properties of CONNACK, encoded. */
  readonly properties?: readonly number[];
  /** Returns the reason code of PUBACK, or undefined for none. Default: 0. */
  readonly puback?: (message: PublishedMessage, index: number) => number | undefined;
  /** True: the connection ends at this message, without a reason. */
  readonly cutsAt?: (message: PublishedMessage) => boolean;
  /** Returns bytes that are sent after CONNACK, whatever they are. */
  readonly afterConnack?: (connection: number) => Uint8Array | undefined;
}

/** A broker of ours that does what no other one does on request. */
export interface FakeBroker {
  readonly port: number;
  readonly messages: readonly PublishedMessage[];
  /** Number of connections so far. */
  readonly connections: number;
  /** Resolves when so many messages have come. */
  received(count: number): Promise<void>;
  /** Resolves when so many connections have come. */
  connected(count: number): Promise<void>;
  /** Sends bytes to every client. */
  send(bytes: Uint8Array): void;
}

const [CONNECT, PUBLISH, SUBSCRIBE, PINGREQ, DISCONNECT] = [1, 3, 8, 12, 14];

/** Starts a fake broker; it ends with the test. */
export async function startFakeBroker(owner: Owner, script: BrokerScript = {}): Promise<FakeBroker> {
  const messages: PublishedMessage[] = [];
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  let connections = 0;
  const changed = (): void => {
    for (const look of waiting) look();
  };
  const when = (isReached: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isReached()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  const handle = (socket: Socket, packet: Buffer, connection: number): void => {
    switch ((packet[0] ?? 0) >> 4) {
      case CONNECT: {
        const code = (script.connack ?? (() => 0))(connection);
        if (code === undefined) return;
        const properties = script.properties ?? [];
        socket.write(Buffer.from([0x20, 3 + properties.length, 0, code, properties.length, ...properties]));
        const more = script.afterConnack?.(connection);
        if (more !== undefined) socket.write(more);
        return;
      }
      case PUBLISH: {
        const { message, packetId } = parsePublish(packet);
        messages.push(message);
        if (script.cutsAt?.(message) === true) {
          socket.destroy();
          changed();
          return;
        }
        const code = (script.puback ?? (() => 0))(message, messages.length - 1);
        if (code !== undefined && message.qos === 1) {
          socket.write(Buffer.from([0x40, 3, packetId >> 8, packetId & 0xff, code]));
        }
        changed();
        return;
      }
      case SUBSCRIBE: {
        const start = headerLengthOf(packet);
        socket.write(Buffer.from([0x90, 4, packet[start] ?? 0, packet[start + 1] ?? 0, 0, 1]));
        return;
      }
      case PINGREQ:
        socket.write(Buffer.from([0xd0, 0]));
        return;
      case DISCONNECT:
        socket.end();
    }
  };
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = connections;
    connections += 1;
    sockets.add(socket);
    const split = createPacketSplitter();
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      for (const packet of split(bytes)) handle(socket, packet, connection);
    });
    changed();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  owner.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    port: (server.address() as AddressInfo).port,
    messages,
    get connections() {
      return connections;
    },
    received: (count) => when(() => messages.length >= count),
    connected: (count) => when(() => connections >= count),
    send(bytes) {
      for (const socket of sockets) socket.write(bytes);
    },
  };
}

function headerLengthOf(packet: Buffer): number {
  let index = 1;
  while ((packet[index] ?? 0) >= 0x80) index += 1;
  return index + 1;
}

function parsePublish(packet: Buffer): { readonly message: PublishedMessage; readonly packetId: number } {
  const qos = ((packet[0] ?? 0) >> 1) & 3;
  let index = headerLengthOf(packet);
  const topicLength = packet.readUInt16BE(index);
  const topic = packet.toString('utf8', index + 2, index + 2 + topicLength);
  index += 2 + topicLength;
  const packetId = qos === 0 ? 0 : packet.readUInt16BE(index);
  if (qos > 0) index += 2;
  // One byte does for the length of the properties here.
  index += 1 + (packet[index] ?? 0);
  return { message: { topic, qos, payload: packet.toString('utf8', index) }, packetId };
}
