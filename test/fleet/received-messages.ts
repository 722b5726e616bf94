import { SparkplugRules } from '../support/sparkplug-rules.ts';
import { GROUP } from './gateways.ts';
import type { Protocol } from './gateways.ts';
import type { LedgerMessage } from './ledger.ts';

/** What a subscriber reads of a message. */
export interface ReceivedMessage extends LedgerMessage {
  /** True for the first message of a connection. */
  readonly isConnection: boolean;
  /** Time of the oldest sample, milliseconds since the epoch; undefined: it has none. */
  readonly takenAtMs: number | undefined;
}

/** Reads the messages of all gateways. */
export interface MessageReader {
  readonly filters: readonly string[];
  /** Rules of the protocol that messages broke, in words. */
  readonly violations: readonly string[];
  read(topic: string, payload: Buffer): ReceivedMessage;
}

/** Creates the reader for the messages of a package. */
export function createReader(protocol: Protocol): MessageReader {
  return protocol === 'sparkplug' ? new SparkplugReader() : new MqttReader();
}

interface MqttMessage {
  readonly gateway: string;
  readonly backlog?: boolean;
  readonly state?: string;
  readonly samples?: readonly {
    readonly sequence: number;
    readonly channel: string;
    readonly takenAt: number;
  }[];
}

class MqttReader implements MessageReader {
  readonly filters = ['penstock/+/state', 'penstock/+/second'];
  readonly violations: readonly string[] = [];

  read(_topic: string, payload: Buffer): ReceivedMessage {
    const message = JSON.parse(payload.toString()) as MqttMessage;
    const { gateway, state, backlog = false, samples = [] } = message;
    return {
      gateway,
      isConnection: state === 'ONLINE',
      backlog,
      samples,
      takenAtMs: samples[0]?.takenAt,
    };
  }
}

/** Follows the births, deaths and sequence numbers of each edge node; the value of a sample is its number. */
class SparkplugReader implements MessageReader {
  readonly filters = [`spBv1.0/${GROUP}/#`];
  readonly violations: string[] = [];
  readonly #nodes = new Map<string, { readonly rules: SparkplugRules; bdSeq: unknown }>();

  read(topic: string, payload: Buffer): ReceivedMessage {
    const [, , , gateway = ''] = topic.split('/');
    const node = this.#nodes.get(gateway) ?? { rules: new SparkplugRules(), bdSeq: undefined };
    this.#nodes.set(gateway, node);
    const { rules } = node;
    rules.take(topic, payload);
    this.violations.push(...rules.violations.map((violation) => `${gateway}: ${violation}`));
    const values = [...rules.values];
    // A fleet sends more than is kept.
    for (const list of [rules.violations, rules.messages, rules.values]) list.length = 0;
    const isConnection = rules.bdSeq !== node.bdSeq;
    node.bdSeq = rules.bdSeq;
    return {
      gateway,
      isConnection,
      backlog: values[0]?.isHistorical ?? false,
      samples: values.map(({ value, metric: channel }) => ({ sequence: Number(value), channel })),
      takenAtMs: values[0]?.timestampMs,
    };
  }
}
