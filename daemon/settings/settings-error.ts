import { GatewayError } from '../base/errors.ts';
import { createReason } from '../base/fault-reason.ts';
import type { FaultReason } from '../base/fault-reason.ts';
import { BASE_FAULTS } from '../base/fault-sentences.ts';

/** Configuration error with its location. */
export interface LocatedFault {
  /** Path of the file, or name of another source. */
  readonly file: string;
  /** Counted from 1; undefined for sources without lines. */
  readonly line?: number | undefined;
  /** Key in its usual notation: `http.ports[0]`; undefined for the file as a whole. */
  readonly key?: string | undefined;
  /** Expected value. */
  readonly message: string;
  /** The sentences of the message with their codes; absent if one of them has none. */
  readonly reasons?: readonly FaultReason[] | undefined;
}

/** The static configuration is invalid; `faults` lists what the administrator has to correct. */
export class SettingsError extends GatewayError {
  readonly faults: readonly LocatedFault[];

  /** @param code `SETTINGS_UNREADABLE` if a file cannot be read, otherwise `SETTINGS_INVALID` */
  constructor(code: 'SETTINGS_UNREADABLE' | 'SETTINGS_INVALID', faults: readonly LocatedFault[]) {
    super({ code, detail: formatFaults(faults), reasons: explainFaults(faults) });
    this.faults = faults;
  }
}

/** Formats errors like compilers, one per line: `file:line: key: expectation`. */
export function formatFaults(faults: readonly LocatedFault[]): string {
  return faults
    .map(({ file, line, key, message }) => {
      const place = formatPlace({ file, line });
      return key === undefined ? `${place}: ${message}` : `${place}: ${key}: ${message}`;
    })
    .join('\n');
}

/** Returns the sentences of errors with their codes, those of each after its place; undefined if one has none. */
export function explainFaults(faults: readonly LocatedFault[]): readonly FaultReason[] | undefined {
  if (faults.some(({ reasons }) => reasons === undefined)) return undefined;
  return faults.flatMap(({ key, reasons = [], ...place }) => [
    createReason(BASE_FAULTS, 'IN_FILE', { file: formatPlace(place) }),
    ...(key === undefined ? [] : [createReason(BASE_FAULTS, 'AT_KEY', { key })]),
    ...reasons,
  ]);
}

function formatPlace({ file, line }: Pick<LocatedFault, 'file' | 'line'>): string {
  return line === undefined ? file : `${file}:${line}`;
}
