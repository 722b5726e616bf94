import { isDeepStrictEqual } from 'node:util';

import type { AssetConfig } from '../plant/asset/plant-config.ts';
import type { RecordingSettings } from '../settings/recorder-settings.ts';
import type { RestSettings } from '../settings/rest-settings.ts';
import type { ManagedConfiguration } from './managed-document.ts';

// Names of what each setting enables.
const AUTH_METHODS = {
  passwordAuthenticationEnabled: 'password logins',
  certificateAuthenticationEnabled: 'certificate logins',
  sessionBasedAuthenticationEnabled: 'sessions',
  basicAuthenticationEnabled: 'HTTP Basic authentication',
  statelessCertificateAuthenticationEnabled: 'client certificates without a session',
  jwtAuthenticationEnabled: 'tokens',
} as const satisfies Partial<Readonly<Record<keyof RestSettings, string>>>;

const MAXIMUM_CHANNELS_NAMED = 10;

/**
 * Describes what a change takes away from clients: authentication methods, ports, tokens, assets, reads and writes of
 * channels, and samples that were recorded.
 */
export function listLostAccess(before: ManagedConfiguration, after: ManagedConfiguration): readonly string[] {
  return [
    ...listLostAuthMethods(before.rest, after.rest),
    ...listLostPorts(before.rest.allowedPorts, after.rest.allowedPorts),
    ...listLostTrust(before, after),
    ...listLostAssets(before.plant.assets, after.plant.assets),
    ...(before.recorders.length === 0 ? [] : listLostSamples(before.recording, after.recording)),
  ];
}

function listLostAuthMethods(before: RestSettings, after: RestSettings): readonly string[] {
  const keys = Object.keys(AUTH_METHODS) as (keyof typeof AUTH_METHODS)[];
  return keys.filter((key) => before[key] && !after[key]).map((key) => AUTH_METHODS[key]);
}

function listLostPorts(before: readonly number[], after: readonly number[]): readonly string[] {
  // An empty list allows every port.
  if (after.length === 0) return [];
  if (before.length === 0) return [`every port except ${after.join(', ')}`];
  return before.filter((port) => !after.includes(port)).map((port) => `port ${port}`);
}

function listLostTrust(before: ManagedConfiguration, after: ManagedConfiguration): readonly string[] {
  // Without tokens there is nothing to lose; the loss of all tokens is already listed.
  if (!before.rest.jwtAuthenticationEnabled || !after.rest.jwtAuthenticationEnabled) return [];
  return before.tokenVerificationServices.flatMap(({ pid, trustedCertificates, trustedIssuers }) => {
    const next = after.tokenVerificationServices.find((service) => service.pid === pid);
    if (next === undefined) return [`tokens verified by ${pid}`];
    const isSigner = trustedCertificates.every((old) =>
      next.trustedCertificates.some((each) => isDeepStrictEqual(each, old)),
    );
    // An empty list accepts any issuer.
    const isIssuer =
      next.trustedIssuers.length === 0 ||
      (trustedIssuers.length > 0 && trustedIssuers.every((issuer) => next.trustedIssuers.includes(issuer)));
    return isSigner && isIssuer ? [] : [`tokens whose signer or issuer ${pid} no longer trusts`];
  });
}

function listLostSamples(before: RecordingSettings, after: RecordingSettings): readonly string[] {
  const { maximumAgeDays, maximumBytes } = after;
  return [
    ...(maximumAgeDays < before.maximumAgeDays ? [`recorded samples older than ${maximumAgeDays} days`] : []),
    ...(maximumBytes < before.maximumBytes
      ? [`the oldest recorded samples beyond ${Math.floor(maximumBytes / 2 ** 20)} MiB`]
      : []),
  ];
}

function listLostAssets(before: readonly AssetConfig[], after: readonly AssetConfig[]): readonly string[] {
  const next = new Map(after.map((asset) => [asset.pid, asset]));
  return before.flatMap((asset) => {
    const same = next.get(asset.pid);
    if (same === undefined) return [`asset ${asset.pid}`];
    // Unchanged; the channels of a large plant would take long.
    if (same === asset) return [];
    return [
      ...describeChannels('reads', asset.pid, listLost(asset, same, 'READ')),
      ...describeChannels('writes', asset.pid, listLost(asset, same, 'WRITE')),
    ];
  });
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

function describeChannels(verb: string, pid: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, MAXIMUM_CHANNELS_NAMED).join(', ');
  const others = names.length - MAXIMUM_CHANNELS_NAMED;
  return [`${verb} of ${shown}${others > 0 ? ` and ${others} more` : ''} of asset ${pid}`];
}
