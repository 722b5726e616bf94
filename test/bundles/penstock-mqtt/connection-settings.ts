import type { ConnectionSettings, MqttSettings } from '../../../bundles/penstock-mqtt/settings.ts';
import { readSettings } from '../../../bundles/penstock-mqtt/settings.ts';
import type { Time } from '../../../bundles/mqtt/time.ts';
import { machineTime } from '../../../bundles/mqtt/time.ts';
import { declareSettings } from './declared-settings.ts';

/** Timeouts shorter than the schema allows: a test waits for them. */
const SHORT = { connectTimeoutMs: 400, acknowledgeTimeoutMs: 400 };

/** Returns settings for a broker on the loopback, by default with short timeouts. */
export function makeSettings(
  port: number,
  declared: Readonly<Record<string, unknown>> = {},
  timeouts: Partial<ConnectionSettings> = SHORT,
): MqttSettings {
  const brokers = [`mqtt://127.0.0.1:${port}`];
  const { connection, delivery } = readSettings(declareSettings({ brokers, ...declared }), 'north');
  return { connection: { ...connection, ...timeouts }, delivery };
}

/** Time that passes a hundred times faster in waits, so that delays of seconds are short. */
export const fastTime: Time = {
  ...machineTime,
  sleep: (ms, signal) => machineTime.sleep(ms / 100, signal),
};
