import { isDeepStrictEqual } from 'node:util';

import type { Slices } from '../base/slices.ts';
import { createFinding } from '../interface/finding.ts';
import type { Finding } from '../interface/finding.ts';
import type { FindingCode } from '../interface/finding-sentences.ts';
import type { AssetConfig } from '../plant/asset/plant-config.ts';
import type { RecordingSettings } from '../settings/recorder-settings.ts';
import type { RestSettings } from '../settings/rest-settings.ts';
import type { ManagedConfiguration } from './managed-document.ts';

// What each setting enables.
const AUTH_METHODS = {
  passwordAuthenticationEnabled: 'LOST_PASSWORD_LOGINS',
  certificateAuthenticationEnabled: 'LOST_CERTIFICATE_LOGINS',
  sessionBasedAuthenticationEnabled: 'LOST_SESSIONS',
  basicAuthenticationEnabled: 'LOST_BASIC_AUTHENTICATION',
  statelessCertificateAuthenticationEnabled: 'LOST_CLIENT_CERTIFICATES',
  jwtAuthenticationEnabled: 'LOST_TOKENS',
} as const satisfies Partial<Readonly<Record<keyof RestSettings, FindingCode>>>;

const MAXIMUM_CHANNELS_NAMED = 10;

/**
 * Describes what a change takes away from clients: authentication methods, ports, tokens, assets, reads and writes of
 * channels, and samples that were recorded; asset by asset.
 */
export function* listLostAccess(
  before: ManagedConfiguration,
  after: ManagedConfiguration,
): Slices<readonly Finding[]> {
  return [
    ...listLostAuthMethods(before.rest, after.rest),
    ...listLostPorts(before.rest.allowedPorts, after.rest.allowedPorts),
    ...listLostTrust(before, after),
    ...(yield* listLostAssets(before.plant.assets, after.plant.assets)),
    ...(before.recorders.length === 0 ? [] : listLostSamples(before.recording, after.recording)),
  ];
}

function listLostAuthMethods(before: RestSettings, after: RestSettings): readonly Finding[] {
  const keys = Object.keys(AUTH_METHODS) as (keyof typeof AUTH_METHODS)[];
  return keys.filter((key) => before[key] && !after[key]).map((key) => createFinding(AUTH_METHODS[key], {}));
}

function listLostPorts(before: readonly number[], after: readonly number[]): readonly Finding[] {
  // An empty list allows every port.
  if (after.length === 0) return [];
  if (before.length === 0) return [createFinding('LOST_PORTS_EXCEPT', { ports: after.map(String) })];
  return before
    .filter((port) => !after.includes(port))
    .map((port) => createFinding('LOST_PORT', { port: String(port) }));
}

function listLostTrust(before: ManagedConfiguration, after: ManagedConfiguration): readonly Finding[] {
  // Without tokens there is nothing to lose; the loss of all tokens is already listed.
  if (!before.rest.jwtAuthenticationEnabled || !after.rest.jwtAuthenticationEnabled) return [];
  return before.tokenVerificationServices.flatMap(({ pid, trustedCertificates, trustedIssuers }) => {
    const next = after.tokenVerificationServices.find((service) => service.pid === pid);
    if (next === undefined) return [createFinding('LOST_VERIFIER', { service: pid })];
    const isSigner = trustedCertificates.every((old) =>
      next.trustedCertificates.some((each) => isDeepStrictEqual(each, old)),
    );
    // An empty list accepts any issuer.
    const isIssuer =
      next.trustedIssuers.length === 0 ||
      (trustedIssuers.length > 0 && trustedIssuers.every((issuer) => next.trustedIssuers.includes(issuer)));
    return isSigner && isIssuer ? [] : [createFinding('LOST_TRUST', { service: pid })];
  });
}

function listLostSamples(before: RecordingSettings, after: RecordingSettings): readonly Finding[] {
  const { maximumAgeDays, maximumBytes } = after;
  return [
    ...(maximumAgeDays < before.maximumAgeDays
      ? [createFinding('LOST_OLD_SAMPLES', { days: maximumAgeDays })]
      : []),
    ...(maximumBytes < before.maximumBytes
      ? [createFinding('LOST_OLDEST_SAMPLES', { mebibytes: Math.floor(maximumBytes / 2 ** 20) })]
      : []),
  ];
}

function* listLostAssets(
  before: readonly AssetConfig[],
  after: readonly AssetConfig[],
): Slices<readonly Finding[]> {
  const next = new Map(after.map((asset) => [asset.pid, asset]));
  const lost: Finding[] = [];
  for (const asset of before) {
    yield;
    lost.push(...listLostOfAsset(asset, next.get(asset.pid)));
  }
  return lost;
}

function listLostOfAsset(before: AssetConfig, after: AssetConfig | undefined): readonly Finding[] {
  if (after === undefined) return [createFinding('LOST_ASSET', { asset: before.pid })];
  // Unchanged; the channels of a large plant would take long.
  if (after === before) return [];
  return [
    ...describeChannels('READS', before.pid, listLost(before, after, 'READ')),
    ...describeChannels('WRITES', before.pid, listLost(before, after, 'WRITE')),
  ];
}

function listLost(before: AssetConfig, after: AssetConfig, direction: 'READ' | 'WRITE'): readonly string[] {
  const kept = new Set(listUsable(after, direction));
  return listUsable(before, direction).filter((name) => !kept.has(name));
}

function listUsable({ channels }: AssetConfig, direction: 'READ' | 'WRITE'): readonly string[] {
  return channels
    .filter(({ type, isEnabled }) => isEnabled && [direction, 'READ_WRITE'].includes(type))
    .map(({ name }) => name);
}

function describeChannels(
  verb: 'READS' | 'WRITES',
  asset: string,
  names: readonly string[],
): readonly Finding[] {
  if (names.length === 0) return [];
  const channels = names.slice(0, MAXIMUM_CHANNELS_NAMED);
  const more = names.length - MAXIMUM_CHANNELS_NAMED;
  return [
    more > 0
      ? createFinding(`LOST_${verb}_AND_MORE`, { channels, more, asset })
      : createFinding(`LOST_${verb}`, { channels, asset }),
  ];
}
