import { connectAsync } from 'mqtt';

import { encodeSparkplug } from './sparkplug-payload.ts';
import { SparkplugRules } from './sparkplug-rules.ts';
import type { Owner } from './temporary-directory.ts';

/** A host application at a broker, which keeps a ledger of the values of one edge node. */
export interface SparkplugHost {
  readonly rules: SparkplugRules;
  /** Retained flag and quality of service of each message, in the order of `rules.messages`. */
  readonly deliveries: readonly { readonly isRetained: boolean; readonly qos: number }[];
  /** Number of times that each number came as a value of a message with data. */
  readonly counts: ReadonlyMap<unknown, number>;
  /** Resolves when the condition holds; checked after each message. */
  when(isReached: (host: SparkplugHost) => boolean): Promise<void>;
  /** Requests a rebirth. */
  requestRebirth(): Promise<void>;
  /** Sends a command to a device, by default with the time of now. */
  command(device: string, metrics: readonly object[], timestampMs?: number): Promise<void>;
  /** Publishes any message. */
  publish(topic: string, payload: string | Buffer, options?: { readonly retain?: boolean }): Promise<void>;
  /** Publishes the state of a host, retained. */
  setState(hostId: string, isOnline: boolean, timestampMs: number): Promise<void>;
}

/**
 * Subscribes to all messages of a group, with a session that the broker keeps.
 *
 * @param edgeNodeId of the edge node that it follows
 */
export async function openSparkplugHost(
  owner: Owner,
  port: number,
  {
    group = 'Penstock',
    edgeNodeId = 'north',
  }: { readonly group?: string; readonly edgeNodeId?: string } = {},
): Promise<SparkplugHost> {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, {
    protocolVersion: 5,
    clientId: `host-${edgeNodeId}`,
    clean: false,
    reconnectPeriod: 100,
    properties: { sessionExpiryInterval: 3600 },
  });
  owner.after(async () => client.endAsync(true));
  client.on('error', () => {});
  const rules = new SparkplugRules();
  const deliveries: { isRetained: boolean; qos: number }[] = [];
  const counts = new Map<unknown, number>();
  const waiting = new Set<() => void>();
  const host: SparkplugHost = {
    rules,
    deliveries,
    counts,
    when: (isReached) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!isReached(host)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    requestRebirth: async () =>
      host.publish(
        `spBv1.0/${group}/NCMD/${edgeNodeId}`,
        encodeSparkplug({
          timestamp: Date.now(),
          metrics: [
            { name: 'Node Control/Rebirth', timestamp: Date.now(), datatype: 11, booleanValue: true },
          ],
        }),
      ),
    command: async (device, metrics, timestampMs = Date.now()) =>
      host.publish(
        `spBv1.0/${group}/DCMD/${edgeNodeId}/${device}`,
        encodeSparkplug({ timestamp: timestampMs, metrics: [...metrics] }),
      ),
    async publish(topic, payload, options) {
      await client.publishAsync(topic, payload, { qos: 0, ...options });
    },
    async setState(hostId, isOnline, timestampMs) {
      const text = JSON.stringify({ online: isOnline, timestamp: timestampMs });
      await client.publishAsync(`spBv1.0/STATE/${hostId}`, text, { qos: 1, retain: true });
    },
  };
  client.on('message', (topic, payload, { retain, qos }) => {
    const [, , verb = '', node] = topic.split('/');
    if (node !== edgeNodeId || verb.endsWith('CMD')) return;
    const before = rules.values.length;
    rules.take(topic, payload);
    deliveries.push({ isRetained: retain, qos });
    for (const { value } of rules.values.slice(before)) counts.set(value, (counts.get(value) ?? 0) + 1);
    for (const look of waiting) look();
  });
  await client.subscribeAsync(`spBv1.0/${group}/#`, { qos: 1 });
  return host;
}
