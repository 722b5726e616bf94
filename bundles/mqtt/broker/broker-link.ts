import { describeReason, describeReasonInGerman } from './reason-codes.ts';
import { toWords } from '../words.ts';
import type { Words } from '../words.ts';

/** Message to a broker. */
export interface OutgoingMessage {
  readonly topic: string;
  /** A text is sent as JSON. */
  readonly payload: string | Uint8Array;
  readonly qos: 0 | 1;
  readonly isRetained?: boolean | undefined;
  /** Property of MQTT 5. */
  readonly correlationData?: Uint8Array | undefined;
}

/** Message from a broker. */
export interface IncomingMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly isRetained: boolean;
  /** Properties of MQTT 5. */
  readonly responseTopic?: string | undefined;
  readonly correlationData?: Uint8Array | undefined;
}

/** One connection to a broker. It never reconnects: another one takes its place. */
export interface BrokerLink {
  /** Maximum number of messages with QoS 1 that may be unacknowledged. */
  readonly receiveMaximum: number;
  /** Maximum size of a packet that the broker accepts. */
  readonly maximumPacketBytes: number;
  /** Resolves when the connection has ended, with the reason. */
  readonly ended: Promise<LinkEnded>;
  /**
   * Publishes a message.
   *
   * Resolves when the broker has it: with QoS 1 at the PUBACK, with QoS 0 at the PINGRESP to a PINGREQ that followed it.
   *
   * @throws {MessageRefused} if the broker refuses it
   * @throws {LinkEnded} if the connection ends first; the broker may have it or not
   */
  publish(message: OutgoingMessage): Promise<void>;
  /**
   * Subscribes to a topic, or to those of a filter.
   *
   * @param options `wantsRetained`: retained messages come at the subscription; those of MQTT 3.1.1 come in any case
   * @throws {MessageRefused} if the broker refuses it
   * @throws {LinkEnded} if the connection ends first
   */
  subscribe(
    topic: string,
    onMessage: (message: IncomingMessage) => void,
    options?: { readonly wantsRetained?: boolean },
  ): Promise<void>;
  /**
   * Ends the connection with DISCONNECT, so that the broker does not publish the will.
   *
   * @param options `publishesWill`: it does by MQTT 5
   */
  close(options?: { readonly publishesWill?: boolean }): Promise<void>;
  /** Ends the connection without DISCONNECT, so that the broker publishes the will. */
  end(reason: LinkEnded): void;
}

/** The broker refused a message or a subscription, and would refuse it again. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused';
  /** Reason code of MQTT 5. */
  readonly code: number;
  readonly words: Words;

  constructor(topic: string, code: number) {
    super(`the broker refused "${topic}": ${describeReason(code)}`);
    const de = `Der Broker hat „${topic}“ abgelehnt: ${describeReasonInGerman(code)}`;
    this.words = { en: this.message, de };
    this.code = code;
  }
}

interface LinkEndedOptions {
  readonly isPermanent?: boolean;
  readonly isSilent?: boolean;
  readonly cause?: unknown;
}

/** The connection ended or was not made. */
export class LinkEnded extends Error {
  override readonly name = 'LinkEnded';
  /** True if a person has to correct settings, certificates or rights. */
  readonly isPermanent: boolean;
  /** True if the broker did not respond in time. */
  readonly isSilent: boolean;
  readonly words: Words;

  constructor(reason: string | Words, options: LinkEndedOptions = {}) {
    const words = toWords(reason);
    super(words.en, 'cause' in options ? { cause: options.cause } : undefined);
    this.words = words;
    this.isPermanent = options.isPermanent ?? false;
    this.isSilent = options.isSilent ?? false;
  }
}
