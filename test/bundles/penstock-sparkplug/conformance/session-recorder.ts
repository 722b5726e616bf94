import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

import { parser } from 'mqtt-packet';
import type { Packet } from 'mqtt-packet';

import type { Owner } from '../../../support/temporary-directory.ts';
import { decodePayload } from './payload-decoder.ts';
import type { Session, SessionEvent } from './session.ts';

/** The edge node of a recorder. */
export type Recorded = Omit<Session, 'events' | 'brokers'>;

/** Proxies in front of brokers that record every packet that matters to Sparkplug. */
export interface SessionRecorder {
  readonly session: Session;
  /** Ports for the edge node, in the order of the brokers. */
  readonly ports: readonly number[];
  /** Notes that a device is cut off now. */
  markLost(device: string): void;
  /** Resolves when the events so far fulfil a condition. */
  when(isReached: (events: readonly SessionEvent[]) => boolean): Promise<void>;
  /** Resets every connection. */
  cut(): void;
}

/**
 * Starts a proxy for each broker; they end with the test.
 *
 * @param now time of the events, milliseconds since the epoch
 */
export async function startSessionRecorder(
  owner: Owner,
  brokerPorts: readonly number[],
  recorded: Recorded,
  now: () => number = Date.now,
): Promise<SessionRecorder> {
  const events: SessionEvent[] = [];
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  let connections = 0;
  const note = (event: SessionEvent): void => {
    events.push(event);
    for (const look of waiting) look();
  };
  const listen = async (brokerPort: number): Promise<number> => {
    const server = createServer({ noDelay: true }, (near) => {
      const far = connect({ port: brokerPort, host: '127.0.0.1', noDelay: true });
      const stream = new PacketStream({ broker: String(brokerPort), number: () => connections++, note, now });
      pass(near, far, (bytes) => stream.fromEdge(bytes), sockets);
      pass(far, near, (bytes) => stream.fromBroker(bytes), sockets);
      for (const end of ['end', 'close']) near.on(end, () => stream.close());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    owner.after(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    return (server.address() as AddressInfo).port;
  };
  const ports: number[] = [];
  for (const port of brokerPorts) ports.push(await listen(port));
  return {
    session: { ...recorded, brokers: brokerPorts.map(String), events },
    ports,
    markLost(device) {
      const { connection, broker } = events.at(-1) ?? { connection: 0, broker: '' };
      note({ type: 'lost', device, connection, broker, at: now() });
    },
    when: (isReached) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!isReached(events)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    cut() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
  };
}

function pass(from: Socket, to: Socket, look: (bytes: Buffer) => void, sockets: Set<Socket>): void {
  sockets.add(from);
  from.on('data', (bytes: Buffer) => {
    look(bytes);
    if (!to.destroyed) to.write(bytes);
  });
  from.on('end', () => to.end());
  from.on('error', () => to.destroy());
  from.on('close', () => {
    sockets.delete(from);
    to.destroy();
  });
}

interface StreamOptions {
  readonly broker: string;
  /** Returns the number of a connection. */
  readonly number: () => number;
  readonly note: (event: SessionEvent) => void;
  readonly now: () => number;
}

/** Turns the bytes of one connection into events. */
class PacketStream {
  readonly #broker: string;
  readonly #number: () => number;
  readonly #note: (event: SessionEvent) => void;
  readonly #now: () => number;
  readonly #edge = parser();
  #fromBroker = parser();
  #connection: number | undefined;

  constructor({ broker, number, note, now }: StreamOptions) {
    this.#broker = broker;
    this.#number = number;
    this.#note = note;
    this.#now = now;
    this.#edge.on('packet', (packet: Packet) => this.#noteOfEdge(packet));
  }

  fromEdge(bytes: Buffer): void {
    this.#edge.parse(bytes);
  }

  fromBroker(bytes: Buffer): void {
    this.#fromBroker.parse(bytes);
  }

  close(): void {
    if (this.#connection === undefined) return;
    this.#note({ type: 'closed', ...this.#place(this.#connection) });
    this.#connection = undefined;
  }

  #place(connection: number) {
    return { connection, broker: this.#broker, at: this.#now() };
  }

  #noteOfEdge(packet: Packet): void {
    if (packet.cmd === 'connect') {
      this.#connection = this.#number();
      const version = packet.protocolVersion === 5 ? 5 : 4;
      this.#fromBroker = parser({ protocolVersion: version });
      this.#fromBroker.on('packet', (each: Packet) => this.#noteOfBroker(each));
      const { will } = packet;
      this.#note({
        type: 'connect',
        version,
        isClean: packet.clean === true,
        sessionExpiry: packet.properties?.sessionExpiryInterval,
        will:
          will === undefined
            ? undefined
            : {
                topic: will.topic,
                payload: decodePayload(Buffer.from(will.payload)),
                qos: will.qos ?? 0,
                isRetained: will.retain === true,
              },
        ...this.#place(this.#connection),
      });
      return;
    }
    if (this.#connection === undefined) return;
    const place = this.#place(this.#connection);
    if (packet.cmd === 'publish') {
      const { topic, qos, retain } = packet;
      const payload = decodePayload(Buffer.from(packet.payload));
      this.#note({ type: 'publish', topic, payload, qos, isRetained: retain, ...place });
    }
    if (packet.cmd === 'subscribe') {
      const filters = packet.subscriptions.map(({ topic, qos }) => ({ filter: topic, qos }));
      this.#note({ type: 'subscribe', filters, ...place });
    }
    if (packet.cmd === 'puback' && packet.messageId !== undefined)
      this.#note({ type: 'acknowledge', messageId: packet.messageId, ...place });
    if (packet.cmd === 'disconnect')
      this.#note({ type: 'disconnect', reasonCode: packet.reasonCode, ...place });
  }

  #noteOfBroker(packet: Packet): void {
    if (this.#connection === undefined) return;
    const place = this.#place(this.#connection);
    if (packet.cmd === 'connack' && (packet.reasonCode ?? packet.returnCode) === 0)
      this.#note({ type: 'accepted', ...place });
    if (packet.cmd !== 'publish') return;
    const bytes = Buffer.from(packet.payload);
    const isState = packet.topic.startsWith('spBv1.0/STATE/');
    const payload = isState ? undefined : decodePayload(bytes);
    this.#note({
      type: 'delivery',
      topic: packet.topic,
      ...(isState ? { text: bytes.toString() } : {}),
      ...(payload === undefined ? {} : { payload }),
      ...(packet.messageId === undefined ? {} : { messageId: packet.messageId }),
      ...place,
    });
  }
}
