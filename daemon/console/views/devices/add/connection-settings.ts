import type { ScanResult } from '../../../../interface/plant/scans.ts';
import { isSecretMarker } from '../../../forms/secret.ts';

/** Settings of a found connection. */
export interface SortedSettings {
  readonly known: Readonly<Record<string, unknown>>;
  /** Secrets that must be entered again. */
  readonly missing: readonly string[];
}

/** Merges scan results over the input; secrets come from the input only. */
export function sortSettings(
  { pid, settings: found = {} }: NonNullable<ScanResult['connection']>,
  typed: Readonly<Record<string, unknown>>,
): SortedSettings {
  const entries = Object.entries(found);
  const shown = entries.filter(([, value]) => !isSecretMarker(value));
  const secrets = entries.filter(([, value]) => isSecretMarker(value)).map(([name]) => name);
  return {
    known: { ...typed, ...Object.fromEntries(shown) },
    missing: pid === undefined ? secrets.filter((name) => typed[name] === undefined) : [],
  };
}
