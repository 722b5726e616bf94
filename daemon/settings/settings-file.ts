import path from 'node:path';

import { placeFault } from '../base/fault-reason.ts';
import { createHintingCheck } from '../base/key/key-hint.ts';
import { formatPath } from '../base/schema.ts';
import type { Fault } from '../base/schema.ts';
import { gatewaySettingsSchema } from './gateway-settings.ts';
import type { GatewaySettings } from './gateway-settings.ts';
import type { LoadedFile } from './loaded-files.ts';
import { listProvisionFiles, readSettingsDocument } from './settings-document.ts';
import type { SettingsDocument } from './settings-document.ts';
import { SettingsError } from './settings-error.ts';
import type { LocatedFault } from './settings-error.ts';
import { findPosition } from './yaml-positions.ts';
import { YamlReader } from './yaml-reader.ts';

const checkKeys = createHintingCheck(gatewaySettingsSchema);

/** Part of the managed configuration in a file. */
export interface ProvisionSource {
  /** Name relative to the configuration directory: `provision`, or `provision.d/line1.yaml`. */
  readonly name: string;
  /** Unvalidated plain data. */
  readonly value: unknown;
  /** Returns the position of an error of `value` in its file. */
  locate(fault: Fault): LocatedFault;
}

/** Content of the static configuration files. */
export interface LoadedSettings {
  readonly settings: GatewaySettings;
  /** Section `provision`, then the files of `provision.d` in alphabetical order. */
  readonly provisionSources: readonly ProvisionSource[];
  /** All files read, `penstock.yaml` first. */
  readonly files: readonly LoadedFile[];
}

/**
 * Reads the static configuration and the provision files next to it.
 *
 * Relative paths start from the directory of the file; an empty section counts as absent. `provision.d` may be missing;
 * its files are all `*.yaml` whose name does not begin with a dot.
 *
 * @param file path of `penstock.yaml`
 * @param yaml reader of the process, if any
 * @throws {SettingsError} with all errors of all files; never quotes a value
 */
export async function loadSettingsFile(file: string, yaml = new YamlReader()): Promise<LoadedSettings> {
  const directory = path.dirname(path.resolve(file));
  const main = await readSettingsDocument(file, yaml);
  const faults = [...main.faults];
  const settings = main.document === undefined ? undefined : checkSettings(main.document, directory, faults);
  const provisions: SettingsDocument[] = [];
  for (const provisionFile of await listProvisionFiles(directory)) {
    const read = await readSettingsDocument(provisionFile, yaml);
    faults.push(...read.faults);
    if (read.document !== undefined) provisions.push(read.document);
  }
  if (main.document === undefined || settings === undefined || faults.length > 0) {
    const isUnreadable = faults.every((fault) => fault.line === undefined);
    throw new SettingsError(isUnreadable ? 'SETTINGS_UNREADABLE' : 'SETTINGS_INVALID', faults);
  }
  await yaml.forgetOtherFiles();
  return {
    settings,
    files: [main.document, ...provisions].map(({ file: read, digest }) => ({ file: read, digest })),
    provisionSources: [
      ...createInlineSource(main.document),
      ...provisions.map((document) =>
        createSource(path.relative(directory, document.file), document.value ?? {}, document, []),
      ),
    ],
  };
}

function createInlineSource(document: SettingsDocument): readonly ProvisionSource[] {
  const { provision } = (document.value ?? {}) as { readonly provision?: unknown };
  if (provision === undefined || provision === null) return [];
  return [createSource('provision', provision, document, ['provision'])];
}

function checkSettings(
  document: SettingsDocument,
  directory: string,
  faults: LocatedFault[],
): GatewaySettings | undefined {
  const checked = checkKeys(dropEmptySections(document.value));
  if (checked.faults !== undefined) {
    const located = checked.faults.map((fault) => locate(document, fault));
    // A value of the wrong type also violates its size limits: keep only the first error of a key.
    const firstOfKey = new Map(located.toReversed().map((fault) => [fault.key, fault]));
    faults.push(...[...firstOfKey.values()].toReversed().sort((a, b) => (a.line ?? 0) - (b.line ?? 0)));
    return undefined;
  }
  const { provision: _provision, ...settings } = checked.value;
  return resolvePaths(settings, directory);
}

function dropEmptySections(value: unknown): unknown {
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, section]) => section !== null));
}

function resolvePaths(settings: GatewaySettings, directory: string): GatewaySettings {
  const resolve = (file: string | null): string | null =>
    file === null ? null : path.resolve(directory, file);
  const { tls, deployment, audit } = settings;
  const { syslog } = audit;
  return {
    ...settings,
    configurationDirectory: directory,
    dataDirectory: path.resolve(directory, settings.dataDirectory),
    tls: {
      certificateFile: resolve(tls.certificateFile),
      privateKeyFile: resolve(tls.privateKeyFile),
      clientCertificateAuthoritiesFile: resolve(tls.clientCertificateAuthoritiesFile),
      certificateRevocationListFile: resolve(tls.certificateRevocationListFile),
    },
    audit: {
      ...audit,
      syslog: {
        ...syslog,
        certificateAuthoritiesFile: resolve(syslog.certificateAuthoritiesFile),
        certificateFile: resolve(syslog.certificateFile),
        privateKeyFile: resolve(syslog.privateKeyFile),
      },
    },
    deployment: { ...deployment, trustedSignersFile: resolve(deployment.trustedSignersFile) },
  };
}

function createSource(
  name: string,
  value: unknown,
  document: SettingsDocument,
  prefix: readonly string[],
): ProvisionSource {
  return {
    name,
    value,
    locate: (fault) => locate(document, placeFault(prefix, fault)),
  };
}

function locate(document: SettingsDocument, fault: Fault): LocatedFault {
  return {
    file: document.file,
    line: findPosition(document.value, document.positions, fault.path).line,
    key: formatPath(fault.path),
    message: fault.message,
    ...(fault.reasons === undefined ? {} : { reasons: fault.reasons }),
  };
}
