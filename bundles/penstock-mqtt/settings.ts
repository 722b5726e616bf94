import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { parseBrokerAddress } from './broker/broker-address.ts';
import type { BrokerAddress } from './broker/broker-address.ts';
import { parseTopicTemplate } from './message/topic-template.ts';
import type { TopicName, TopicTemplate } from './message/topic-template.ts';

/** Settings of `settings.schema.json`, checked beyond it. */
export interface MqttSettings {
  readonly connection: ConnectionSettings;
  readonly delivery: DeliverySettings;
}

/** Settings whose change needs a new connection. */
export interface ConnectionSettings {
  /** At least one. */
  readonly brokers: readonly BrokerAddress[];
  readonly protocolVersion: '5' | '3.1.1';
  readonly clientId: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** PEM; empty: the authorities of the runtime. */
  readonly certificateAuthorities: readonly string[];
  /** PEM, the client certificate first; empty: none. */
  readonly certificate: readonly string[];
  readonly key?: string | undefined;
  readonly serverName?: string | undefined;
  readonly keepaliveSeconds: number;
  readonly connectTimeoutMs: number;
  readonly acknowledgeTimeoutMs: number;
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

/** Settings that cannot be used; the message names the setting. */
class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Settings that match `settings.schema.json`, with its defaults. */
export type DeclaredSettings = Readonly<Record<string, unknown>>;

/**
 * Checks settings for what the schema cannot express.
 *
 * @param gateway name of the gateway, for topics and the client identifier
 * @throws {SettingsError} for no or a wrong broker, no recorder, a template or certificate that cannot be used, a key without its
 *   certificate, and a response topic that is the command topic
 * @throws {TopicTemplateError} for a wrong topic template
 */
export function readSettings(declared: DeclaredSettings, gateway: string): MqttSettings {
  const read = createReader(declared);
  const topicOf = (name: string): string | undefined => {
    const text = read.text(name);
    return text === undefined ? undefined : parseTopicTemplate(name, text, ['gateway']).format({ gateway });
  };
  const connection: ConnectionSettings = {
    brokers: readBrokers(read.texts('brokers')),
    protocolVersion: read.text('protocolVersion') === '3.1.1' ? '3.1.1' : '5',
    clientId: read.text('clientId') ?? `penstock-${gateway}`,
    user: read.text('user'),
    password: read.text('password'),
    certificateAuthorities: readCertificates('certificateAuthorities', read.texts('certificateAuthorities')),
    certificate: readCertificates('certificate', read.texts('certificate')),
    key: readKey(read.text('key')),
    serverName: read.text('serverName'),
    keepaliveSeconds: read.number('keepaliveSeconds'),
    connectTimeoutMs: read.number('connectTimeoutMs'),
    acknowledgeTimeoutMs: read.number('acknowledgeTimeoutMs'),
    stateTopic: topicOf('stateTopic'),
    commandTopic: topicOf('commandTopic'),
    responseTopic: topicOf('responseTopic') ?? '',
  };
  refuseContradictions(connection);
  const templateOf = (name: string, allowed: readonly TopicName[]): TopicTemplate =>
    parseTopicTemplate(name, read.text(name) ?? '', allowed);
  const delivery: DeliverySettings = {
    recorders: readRecorders(read.texts('recorders')),
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

function createReader(declared: DeclaredSettings) {
  const fail = (name: string, expected: string): never => {
    throw new SettingsError(`${name}: expected ${expected}`);
  };
  return {
    /** Undefined if it is absent or empty. */
    text(name: string): string | undefined {
      const value = declared[name];
      if (value === undefined || value === '') return undefined;
      return typeof value === 'string' ? value : fail(name, 'text');
    },
    texts(name: string): readonly string[] {
      const values = declared[name] ?? [];
      if (!Array.isArray(values)) return fail(name, 'a list');
      return values.map((value) => (typeof value === 'string' ? value : fail(name, 'a list of texts')));
    },
    number(name: string): number {
      const value = declared[name];
      return typeof value === 'number' ? value : fail(name, 'a number');
    },
  };
}

function readBrokers(texts: readonly string[]): readonly BrokerAddress[] {
  if (texts.length === 0) throw new SettingsError('brokers: at least one is required');
  return texts.map((text) => attempt('brokers', () => parseBrokerAddress(text)));
}

function readRecorders(names: readonly string[]): readonly string[] {
  if (names.length === 0) throw new SettingsError('recorders: at least one is required');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new SettingsError(`recorders: "${twice}" is named twice`);
  return names;
}

function readCertificates(name: string, texts: readonly string[]): readonly string[] {
  for (const text of texts) attempt(name, () => new X509Certificate(text));
  return texts;
}

function readKey(text: string | undefined): string | undefined {
  if (text !== undefined) {
    // What the parser says of a key is not repeated: it may quote it.
    try {
      createPrivateKey(text);
    } catch {
      throw new SettingsError('key: not a PEM key without passphrase');
    }
  }
  return text;
}

function refuseContradictions(settings: ConnectionSettings): void {
  const { certificate, key, commandTopic, responseTopic, user, password, protocolVersion } = settings;
  const [own] = certificate;
  if (own !== undefined && key === undefined) throw new SettingsError('key: required with "certificate"');
  if (own === undefined && key !== undefined) throw new SettingsError('certificate: required with "key"');
  if (own !== undefined && key !== undefined) {
    const isPair = new X509Certificate(own).checkPrivateKey(createPrivateKey(key));
    if (!isPair) throw new SettingsError('key: not the key of the first certificate in "certificate"');
  }
  // A password without a user name is a violation of the protocol there (MQTT 3.1.1, 3.1.2.9).
  if (protocolVersion === '3.1.1' && password !== undefined && user === undefined) {
    throw new SettingsError('user: required with "password" in protocol version 3.1.1');
  }
  // Responses would be taken for commands, and be responded to.
  if (commandTopic === responseTopic) {
    throw new SettingsError('responseTopic: must differ from "commandTopic"');
  }
}

function attempt<T>(name: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new SettingsError(`${name}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
