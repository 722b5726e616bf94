import type { Socket } from 'node:net';

import { MqttClient } from 'mqtt';
import type { IClientOptions, IConnackPacket, IPublishPacket } from 'mqtt';

import type { BrokerAddress } from './broker-address.ts';
import { LinkEnded, MessageRefused } from './broker-link.ts';
import type { BrokerLink, IncomingMessage, OutgoingMessage } from './broker-link.ts';
import { openSocket } from './broker-socket.ts';
import { PacketGuard } from './packet-guard.ts';
import { PingBarrier } from './ping-barrier.ts';
import { describeReason, describeReasonInGerman, isPermanent } from './reason-codes.ts';
import { matchesFilter } from './topic-filter.ts';
import type { BrokerSettings } from '../settings/broker-settings.ts';

/** Message that the broker publishes when the connection ends without DISCONNECT. */
export interface Will {
  readonly topic: string;
  readonly payload: string | Uint8Array;
  readonly isRetained: boolean;
  /** Called when a connection is open: the broker gets the will, even if it refuses the connection. */
  readonly onSent?: () => void;
}

/** Maximum size of a packet from the broker: a command of the maximum size, and its properties. */
const MAXIMUM_INCOMING_BYTES = 262_144;
/** Commands that the broker may send before the first of them is acknowledged. */
const RECEIVE_MAXIMUM = 16;
/** Reason code of a DISCONNECT after which the will is published (MQTT 5.0, 3.14.2.1). */
const DISCONNECT_WITH_WILL = 4;
/** Time for DISCONNECT to be sent. */
const CLOSE_TIMEOUT_MS = 1000;
// The timers here are those that count.
const NEVER_MS = 2 ** 31 - 1;
const CONTENT_TYPE = 'application/json';

/**
 * Connects to a broker.
 *
 * @param signal ends the attempt, not the connection
 * @throws {LinkEnded} if there is no CONNACK in time, the broker refuses, or its certificate is not trusted
 */
export async function openMqttLink(
  address: BrokerAddress,
  settings: BrokerSettings,
  will: Will | undefined,
  signal: AbortSignal,
): Promise<BrokerLink> {
  signal.throwIfAborted();
  const link = new MqttLink(address, settings, will);
  const stop = (): void =>
    link.end(new LinkEnded({ en: 'the attempt was stopped', de: 'Der Versuch wurde beendet' }));
  signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => {
    const { url } = address;
    const reason = {
      en: `${url} did not respond within ${settings.connectTimeoutMs} ms`,
      de: `${url} hat nicht innerhalb von ${settings.connectTimeoutMs} ms geantwortet`,
    };
    link.end(new LinkEnded(reason, { isSilent: true }));
  }, settings.connectTimeoutMs);
  try {
    await link.connected;
    return link;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

class MqttLink implements BrokerLink {
  receiveMaximum = 65_535;
  maximumPacketBytes = 268_435_455;
  readonly connected: Promise<void>;
  readonly ended: Promise<LinkEnded>;
  readonly #address: BrokerAddress;
  readonly #settings: BrokerSettings;
  readonly #will: Will | undefined;
  readonly #client: MqttClient;
  readonly #barrier = new PingBarrier(() => this.#client.sendPing());
  /** Ends of the promises that wait for the broker. */
  readonly #waiting = new Set<(end: LinkEnded) => void>();
  #end: LinkEnded | undefined;
  #onEnd: (end: LinkEnded) => void = () => {};
  #maximumQos: 0 | 1 = 1;
  #mayRetain = true;

  constructor(address: BrokerAddress, settings: BrokerSettings, will: Will | undefined) {
    this.#address = address;
    this.#settings = settings;
    this.#will = will;
    this.ended = new Promise((resolve) => (this.#onEnd = resolve));
    this.#client = new MqttClient(() => this.#openSocket(), toClientOptions(settings, will));
    // The library ends the process with an error event that has no listener.
    this.#client.on('error', (error) => this.end(describeError(error, address)));
    this.#client.on('close', () =>
      this.end(
        new LinkEnded({
          en: `${address.url} closed the connection`,
          de: `${address.url} hat die Verbindung geschlossen`,
        }),
      ),
    );
    this.#client.on('disconnect', ({ reasonCode = 0 }) => {
      const reason = {
        en: `${address.url} ended the connection: ${describeReason(reasonCode)}`,
        de: `${address.url} hat die Verbindung beendet: ${describeReasonInGerman(reasonCode)}`,
      };
      this.end(new LinkEnded(reason, { isPermanent: isPermanent(reasonCode) }));
    });
    this.#client.on('packetsend', ({ cmd }) => {
      if (cmd === 'pingreq') this.#barrier.onSent();
    });
    this.#client.on('packetreceive', ({ cmd }) => {
      if (cmd === 'pingresp') this.#barrier.onReceived();
    });
    this.connected = this.#await((settle) => {
      this.#client.once('connect', (connack) => {
        this.#readLimits(connack);
        settle();
      });
    });
  }

  publish({ topic, payload, qos, isRetained, correlationData }: OutgoingMessage): Promise<void> {
    const isAcknowledged = Math.min(qos, this.#maximumQos) === 1;
    const properties = {
      ...(typeof payload === 'string' ? { payloadFormatIndicator: true, contentType: CONTENT_TYPE } : {}),
      ...(correlationData === undefined ? {} : { correlationData: Buffer.from(correlationData) }),
    };
    return this.#await((settle) => {
      const isNew = this.#settings.protocolVersion === '5';
      const retain = isRetained === true && this.#mayRetain;
      this.#client.publish(
        topic,
        typeof payload === 'string' ? payload : toBuffer(payload),
        { qos: isAcknowledged ? 1 : 0, retain, ...(isNew ? { properties } : {}) },
        (error) => {
          if (isAcknowledged) settle(toFailure(error, topic, codeOf(error)));
        },
      );
      if (!isAcknowledged) this.#barrier.add(settle);
    }, this.#settings.acknowledgeTimeoutMs);
  }

  subscribe(
    topic: string,
    onMessage: (message: IncomingMessage) => void,
    { wantsRetained = false }: { readonly wantsRetained?: boolean } = {},
  ): Promise<void> {
    this.#client.on('message', (from, payload, packet) => {
      if (matchesFilter(topic, from)) onMessage(toIncoming(from, payload, packet));
    });
    return this.#await((settle) => {
      // Retained messages are not sent at the subscription (MQTT 5.0, 3.8.3.1).
      const isLeftOut = this.#settings.protocolVersion === '5' && !wantsRetained;
      const options = { qos: 1 as const, ...(isLeftOut ? { rh: 2 } : {}) };
      this.#client.subscribe(topic, options, (error, _granted, packet) => {
        const code = packet?.granted.map(Number).find((each) => each >= 0x80);
        settle(toFailure(error, topic, code));
      });
    }, this.#settings.acknowledgeTimeoutMs);
  }

  async close({ publishesWill = false }: { readonly publishesWill?: boolean } = {}): Promise<void> {
    const timer = setTimeout(() => this.end(new LinkEnded('closed')), CLOSE_TIMEOUT_MS);
    const isNew = this.#settings.protocolVersion === '5';
    // Not ended before DISCONNECT is written.
    if (this.#end === undefined) {
      this.#client.end(false, isNew && publishesWill ? { reasonCode: DISCONNECT_WITH_WILL } : {});
    }
    await this.ended;
    clearTimeout(timer);
  }

  end(reason: LinkEnded): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    for (const reject of this.#waiting) reject(reason);
    this.#waiting.clear();
    this.#client.end(true);
    this.#onEnd(reason);
  }

  #openSocket(): Socket {
    const socket = openSocket(this.#address, this.#settings);
    const guard = new PacketGuard(MAXIMUM_INCOMING_BYTES);
    // The library has written CONNECT by then, which goes out now.
    socket.once(this.#address.isSecure ? 'secureConnect' : 'connect', () => this.#will?.onSent?.());
    // Ahead of the library, which ignores errors without a code.
    socket.on('error', (error) => this.end(describeError(error, this.#address)));
    socket.on('data', (bytes: Buffer) => {
      if (guard.accepts(bytes)) return;
      const { url } = this.#address;
      const limit = {
        en: `${url} sent a packet of more than ${MAXIMUM_INCOMING_BYTES} bytes`,
        de: `${url} hat ein Paket von mehr als ${MAXIMUM_INCOMING_BYTES} Bytes gesendet`,
      };
      this.end(new LinkEnded(limit));
      socket.destroy();
    });
    return socket;
  }

  #readLimits(connack: IConnackPacket): void {
    const { properties } = connack;
    if (properties === undefined) return;
    this.receiveMaximum = properties.receiveMaximum ?? this.receiveMaximum;
    this.maximumPacketBytes = properties.maximumPacketSize ?? this.maximumPacketBytes;
    this.#maximumQos = properties.maximumQoS === 0 ? 0 : 1;
    this.#mayRetain = properties.retainAvailable !== false;
  }

  /**
   * Waits for the broker. The callbacks of the library are not enough: they are not called if the connection closes.
   *
   * @param timeoutMs ends the connection: a broker that does not acknowledge one message has lost it
   */
  #await(start: (settle: (error?: Error) => void) => void, timeoutMs?: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#end !== undefined) {
        reject(this.#end);
        return;
      }
      const timer =
        timeoutMs === undefined ? undefined : setTimeout(() => this.#giveUp(timeoutMs), timeoutMs);
      const onEnd = (end: LinkEnded): void => {
        clearTimeout(timer);
        reject(end);
      };
      this.#waiting.add(onEnd);
      start((error) => {
        clearTimeout(timer);
        this.#waiting.delete(onEnd);
        if (error === undefined) resolve();
        else reject(error);
      });
    });
  }

  #giveUp(timeoutMs: number): void {
    const { url } = this.#address;
    const reason = {
      en: `${url} did not acknowledge a message within ${timeoutMs} ms`,
      de: `${url} hat eine Nachricht nicht innerhalb von ${timeoutMs} ms bestätigt`,
    };
    this.end(new LinkEnded(reason, { isSilent: true }));
  }
}

function toClientOptions(settings: BrokerSettings, will: Will | undefined): IClientOptions {
  const { protocolVersion, clientId, user, password, keepaliveSeconds } = settings;
  const isNew = protocolVersion === '5';
  return {
    protocolVersion: isNew ? 5 : 4,
    clientId,
    keepalive: keepaliveSeconds,
    // The journal is the store: nothing is kept in the library or at the broker from one connection to the next.
    clean: true,
    reconnectPeriod: 0,
    queueQoSZero: false,
    resubscribe: false,
    connectTimeout: NEVER_MS,
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password: Buffer.from(password) }),
    ...(isNew
      ? { properties: { receiveMaximum: RECEIVE_MAXIMUM, maximumPacketSize: MAXIMUM_INCOMING_BYTES } }
      : {}),
    ...(will === undefined
      ? {}
      : {
          will: {
            topic: will.topic,
            payload: Buffer.from(will.payload),
            qos: 1 as const,
            retain: will.isRetained,
          },
        }),
  };
}

/** Returns the same bytes: a copy of each message would cost as much as its encoding. */
function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function toIncoming(topic: string, payload: Buffer, { retain, properties }: IPublishPacket): IncomingMessage {
  const { responseTopic, correlationData } = properties ?? {};
  return { topic, payload, isRetained: retain, responseTopic, correlationData };
}

/** Returns the error of a callback of the library: a refusal if the broker gave a reason; undefined if there is none. */
function toFailure(
  error: Error | null | undefined,
  topic: string,
  code: number | undefined,
): Error | undefined {
  if (code !== undefined) return new MessageRefused(topic, code);
  return error === null || error === undefined ? undefined : new LinkEnded(error.message, { cause: error });
}

function codeOf(error: Error | null | undefined): number | undefined {
  const { code } = error instanceof Error && 'code' in error ? error : {};
  return typeof code === 'number' ? code : undefined;
}

function describeError(error: Error, { url }: BrokerAddress): LinkEnded {
  const reason = codeOf(error);
  if (reason !== undefined) {
    const words = {
      en: `${url} refused the connection: ${describeReason(reason)}`,
      de: `${url} hat die Verbindung abgelehnt: ${describeReasonInGerman(reason)}`,
    };
    return new LinkEnded(words, {
      isPermanent: isPermanent(reason),
      cause: error,
    });
  }
  const code = 'code' in error ? error.code : undefined;
  // Codes of certificates that are not trusted, and alerts of TLS.
  const isCertificate = typeof code === 'string' && /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL/.test(code);
  const cause = error.message.slice(0, 120);
  const words = { en: `${url}: ${cause}`, de: `${url}: keine Verbindung (${cause})` };
  return new LinkEnded(words, {
    isPermanent: isCertificate,
    cause: error,
  });
}
