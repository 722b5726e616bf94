import { createPrivateKey, X509Certificate } from 'node:crypto';

import { parseBrokerAddress } from '../broker/broker-address.ts';
import type { BrokerAddress } from '../broker/broker-address.ts';
import type { TlsSettings } from '../broker/broker-socket.ts';
import type { SettingsReader } from './settings-reader.ts';
import { SettingsError } from './settings-reader.ts';

/** Brokers, and how they are connected to. */
export interface BrokerSettings extends TlsSettings {
  /** At least one. */
  readonly brokers: readonly BrokerAddress[];
  readonly protocolVersion: '5' | '3.1.1';
  readonly clientId: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly keepaliveSeconds: number;
  readonly connectTimeoutMs: number;
  readonly acknowledgeTimeoutMs: number;
}

/**
 * Reads the settings of a connection: `brokers`, `protocolVersion`, `clientId`, `user`, `password`, `certificateAuthorities`,
 * `certificate`, `key`, `serverName`, `keepaliveSeconds`, `connectTimeoutMs` and `acknowledgeTimeoutMs`.
 *
 * @param defaultClientId used if there is no `clientId`
 * @throws {SettingsError} for no or a wrong broker, a certificate that cannot be used, and a key without its certificate
 */
export function readBrokerSettings(read: SettingsReader, defaultClientId: string): BrokerSettings {
  const settings: BrokerSettings = {
    brokers: readBrokers(read.texts('brokers')),
    protocolVersion: read.text('protocolVersion') === '3.1.1' ? '3.1.1' : '5',
    clientId: read.text('clientId') ?? defaultClientId,
    user: read.text('user'),
    password: read.text('password'),
    certificateAuthorities: readCertificates('certificateAuthorities', read.texts('certificateAuthorities')),
    certificate: readCertificates('certificate', read.texts('certificate')),
    key: readKey(read.text('key')),
    serverName: read.text('serverName'),
    keepaliveSeconds: read.number('keepaliveSeconds'),
    connectTimeoutMs: read.number('connectTimeoutMs'),
    acknowledgeTimeoutMs: read.number('acknowledgeTimeoutMs'),
  };
  refuseContradictions(settings);
  return settings;
}

function readBrokers(texts: readonly string[]): readonly BrokerAddress[] {
  if (texts.length === 0) throw new SettingsError('brokers: at least one is required');
  return texts.map((text) => attempt('brokers', () => parseBrokerAddress(text)));
}

function readCertificates(name: string, texts: readonly string[]): readonly string[] {
  for (const text of texts) {
    // What the library says of it names neither the text nor what is expected.
    try {
      void new X509Certificate(text);
    } catch (error) {
      const start = text.slice(0, 30).trim();
      throw new SettingsError(`${name}: "${start}…" is no PEM certificate`, { cause: error });
    }
  }
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

function refuseContradictions({ certificate, key, user, password, protocolVersion }: BrokerSettings): void {
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
