import { isDeepStrictEqual } from 'node:util';

import { readBrokerSettings } from '../mqtt/settings/broker-settings.ts';
import type { BrokerSettings } from '../mqtt/settings/broker-settings.ts';
import { createSettingsReader, readRecorders, SettingsError } from '../mqtt/settings/settings-reader.ts';
import type { DeclaredSettings } from '../mqtt/settings/settings-reader.ts';
import { parseTopicTemplate } from './message/topic-template.ts';
import type { TopicName, TopicTemplate } from './message/topic-template.ts';

/** Settings of `settings.schema.json`, checked beyond it. */
export interface MqttSettings {
  readonly connection: ConnectionSettings;
  readonly delivery: DeliverySettings;
}

/** Settings whose change needs a new connection. */
export interface ConnectionSettings extends BrokerSettings {
  readonly stateTopic?: string | undefined;
  readonly commandTopic?: string | undefined;
  readonly responseTopic: string;
}

/** Settings that apply within a connection. */
export interface DeliverySettings {
  /** At least one, each once. */
  readonly recorders: readonly string[];
  readonly qos: 0 | 1;
  readonly window: number;
  readonly topic: TopicTemplate;
  readonly gapTopic: TopicTemplate;
  readonly samplesPerMessage: number;
  readonly bytesPerMessage: number;
  readonly backlogMessagesPerSecond: number;
}

/**
 * Checks settings for what the schema cannot express.
 *
 * @param gateway name of the gateway, for topics and the client identifier
 * @throws {SettingsError} for no or a wrong broker, no recorder, a template or certificate that cannot be used, a key without its
 *   certificate, and a response topic that is the command topic
 * @throws {TopicTemplateError} for a wrong topic template
 */
export function readSettings(declared: DeclaredSettings, gateway: string): MqttSettings {
  const read = createSettingsReader(declared);
  const topicOf = (name: string): string | undefined => {
    const text = read.text(name);
    return text === undefined ? undefined : parseTopicTemplate(name, text, ['gateway']).format({ gateway });
  };
  const connection: ConnectionSettings = {
    ...readBrokerSettings(read, `penstock-${gateway}`),
    stateTopic: topicOf('stateTopic'),
    commandTopic: topicOf('commandTopic'),
    responseTopic: topicOf('responseTopic') ?? '',
  };
  // Responses would be taken for commands, and be responded to.
  if (connection.commandTopic === connection.responseTopic) {
    throw new SettingsError('responseTopic: must differ from "commandTopic"');
  }
  const templateOf = (name: string, allowed: readonly TopicName[]): TopicTemplate =>
    parseTopicTemplate(name, read.text(name) ?? '', allowed);
  const delivery: DeliverySettings = {
    recorders: readRecorders(read),
    qos: read.number('qos') === 0 ? 0 : 1,
    window: read.number('window'),
    topic: templateOf('topic', ['gateway', 'recorder', 'asset', 'channel']),
    gapTopic: templateOf('gapTopic', ['gateway', 'recorder']),
    samplesPerMessage: read.number('samplesPerMessage'),
    bytesPerMessage: read.number('bytesPerMessage'),
    backlogMessagesPerSecond: read.number('backlogMessagesPerSecond'),
  };
  return { connection, delivery };
}

/** True if new settings can only be applied with a new connection. */
export function needsReconnect(one: ConnectionSettings, other: ConnectionSettings): boolean {
  return !isDeepStrictEqual(one, other);
}
