import path from 'node:path';

/**
 * What the scenarios measure: folders and files, from the root of the repository. A scenario is measured again by `--changed` when
 * one of its places changed, or what it measures with (`imported-files.ts`).
 */
export type Places = readonly string[];

/** What every gateway runs, whatever its requests. */
export const GATEWAY: Places = [
  'package-lock.json',
  'packaging/bundle-programs.ts',
  'packaging/bundled-modules.ts',
  'systemd/penstockd',
  'daemon/main.ts',
  'daemon/base',
  'daemon/channel',
  'daemon/compose',
  'daemon/configuration/active-configuration.ts',
  'daemon/configuration/store/configuration-store.ts',
  'daemon/settings',
  'daemon/interface/description.ts',
  'daemon/interface/endpoint.ts',
  'daemon/interface/failure.ts',
  'daemon/interface/query-parameter.ts',
  'daemon/machine/metrics/gateway-metrics.ts',
  'daemon/machine/metrics/request-metrics.ts',
  'daemon/server/http',
  'daemon/server/rest/caller.ts',
  'daemon/server/rest/json-writer.ts',
  'daemon/security/identity',
  'daemon/security/session',
];

/** Reads of assets, whatever their driver. */
export const ASSETS: Places = [
  ...GATEWAY,
  'daemon/interface/plant',
  'daemon/plant/access',
  'daemon/plant/asset',
  'daemon/server/rest/plant',
  'daemon/server/rest/value-writer.ts',
  'drivers/index.ts',
];

/** Reads of assets on Modbus. */
export const READS: Places = [...ASSETS, 'drivers/binary', 'drivers/link', 'drivers/modbus'];

/** Ways to authenticate. */
export const AUTHENTICATION: Places = [
  ...GATEWAY,
  'daemon/interface/security',
  'daemon/security/certificate',
  'daemon/security/token',
  'daemon/server/rest/security',
];

/** Changes and reads of the configuration. */
export const CONFIGURATION: Places = [
  'daemon/configuration',
  'daemon/interface/configuration',
  'daemon/plant/template',
  'daemon/server/rest/configuration',
];

/** Packages and their bundles. */
export const SOFTWARE: Places = [
  'daemon/interface/software',
  'daemon/server/rest/software',
  'daemon/software',
];

/** What records samples, and reads them. */
export const RECORDING: Places = ['daemon/plant/history', 'daemon/plant/journal', 'daemon/plant/recorder'];

/** Every route, and all that a gateway keeps in memory. */
export const WHOLE_GATEWAY: Places = [
  ...READS,
  'daemon/configuration',
  'daemon/interface',
  'daemon/machine',
  'daemon/plant',
  'daemon/security',
  'daemon/server',
  'daemon/software',
];

/** Places without a scenario, by the reason. */
export const NOT_MEASURED: Readonly<Record<string, Places>> = {
  'a command runs once, for one person': [
    'daemon/cli/audit',
    'daemon/cli/backup',
    'daemon/cli/completion',
    'daemon/cli/configuration',
    'daemon/cli/discover',
    'daemon/cli/doctor',
    'daemon/cli/history',
    'daemon/cli/identity',
    'daemon/cli/import',
    'daemon/cli/package',
    'daemon/cli/recorder',
  ],
  'a plant to try the gateway with, which no plant runs': ['daemon/cli/demo', 'daemon/simulator'],
  'an instrument answers slower than any code that waits for it': ['drivers/serial'],
};

/** Returns whether a file is one of the places, or in one of them; a place such as `daemon/cli/*` has no files of its folders. */
export function isIn(places: Places, file: string): boolean {
  return places.some((place) =>
    place.endsWith('/*')
      ? place.slice(0, -2) === path.posix.dirname(file)
      : file === place || file.startsWith(`${place}/`),
  );
}
