import { connectAsync } from 'mqtt';
import type { IClientOptions } from 'mqtt';

import type { Owner } from './temporary-directory.ts';

interface Message {
  readonly gateway: string;
  readonly recorder: string;
  readonly first: number;
  readonly last: number;
  readonly backlog?: boolean;
  readonly samples?: readonly {
    readonly sequence: number;
    readonly asset: string;
    readonly channel: string;
    readonly value?: number;
  }[];
  readonly gap?: { readonly reason: string; readonly count: number };
}

/** A subscriber that keeps a ledger of sequence numbers by gateway and recorder. */
export interface MqttLedger {
  /** Messages other than samples, by topic. */
  readonly others: readonly { readonly topic: string; readonly text: string; readonly isRetained: boolean }[];
  readonly messages: readonly Message[];
  /** Number of times that each sample came, by `gateway/recorder/sequence`. */
  readonly counts: ReadonlyMap<string, number>;
  /** Number of samples that came more than once. */
  readonly duplicates: number;
  /** Resolves when the condition holds; checked after each message. */
  when(isReached: (ledger: MqttLedger) => boolean): Promise<void>;
  /** Publishes a message. */
  publish(
    topic: string,
    payload: string | Buffer,
    options?: Parameters<LedgerClient['publishAsync']>[2],
  ): Promise<void>;
  /** Properties of the messages on other topics, in the same order. */
  readonly properties: readonly { readonly correlationData?: Buffer; readonly contentType?: string }[];
}

type LedgerClient = Awaited<ReturnType<typeof connectAsync>>;

/**
 * Subscribes to `#` with a session that the broker keeps, so that nothing is missed while the broker is away.
 *
 * @param options of the connection, beyond the port
 */
export async function openMqttLedger(
  owner: Owner,
  port: number,
  options: IClientOptions = {},
  host = 'mqtt://127.0.0.1',
): Promise<MqttLedger> {
  const client = await connectAsync(`${host}:${port}`, {
    protocolVersion: 5,
    clientId: 'ledger',
    clean: false,
    reconnectPeriod: 100,
    properties: { sessionExpiryInterval: 3600 },
    ...options,
  });
  owner.after(async () => client.endAsync(true));
  client.on('error', () => {});
  const [others, messages]: [{ topic: string; text: string; isRetained: boolean }[], Message[]] = [[], []];
  const properties: { correlationData?: Buffer; contentType?: string }[] = [];
  const counts = new Map<string, number>();
  const waiting = new Set<() => void>();
  const ledger: MqttLedger = {
    others,
    messages,
    properties,
    counts,
    get duplicates() {
      return [...counts.values()].filter((count) => count > 1).length;
    },
    when: (isReached) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!isReached(ledger)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async publish(topic, payload, more) {
      await client.publishAsync(topic, payload, { qos: 1, ...more });
    },
  };
  client.on('message', (topic, payload, packet) => {
    const text = payload.toString();
    const message = parse(text);
    if (message === undefined) {
      others.push({ topic, text, isRetained: packet.retain });
      const { correlationData, contentType } = packet.properties ?? {};
      properties.push({
        ...(correlationData === undefined ? {} : { correlationData }),
        ...(contentType === undefined ? {} : { contentType }),
      });
    } else {
      messages.push(message);
      for (const { sequence } of message.samples ?? []) {
        const key = `${message.gateway}/${message.recorder}/${sequence}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    for (const look of waiting) look();
  });
  await client.subscribeAsync('#', { qos: 1 });
  return ledger;
}

function parse(text: string): Message | undefined {
  try {
    const value = JSON.parse(text) as Partial<Message>;
    return value.first === undefined ? undefined : (value as Message);
  } catch {
    return undefined;
  }
}

/** Returns the sequence numbers of the samples of a channel, in the order in which they came. */
export function sequencesOf(
  messages: readonly Message[],
  isWanted: (message: Message) => boolean = () => true,
): readonly number[] {
  return messages.filter(isWanted).flatMap(({ samples = [] }) => samples.map(({ sequence }) => sequence));
}
