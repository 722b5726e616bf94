import { GatewayError } from '../base/errors.ts';

/** One fault of a configuration, and where a person finds it. */
export interface LocatedFault {
  /** Path of the file, or the name of what else holds the fault. */
  readonly file: string;
  /** Counted from 1; undefined where there are no lines. */
  readonly line?: number | undefined;
  /** The key as people write it: `http.ports[0]`; undefined when the file as a whole is meant. */
  readonly key?: string | undefined;
  /** The expectation, in words. */
  readonly message: string;
}

/** The static configuration cannot be used as it is; its owner has to correct the files that `faults` names. */
export class SettingsError extends GatewayError {
  readonly faults: readonly LocatedFault[];

  /** @param code `SETTINGS_UNREADABLE` when a file cannot be read, `SETTINGS_INVALID` for every other fault */
  constructor(code: 'SETTINGS_UNREADABLE' | 'SETTINGS_INVALID', faults: readonly LocatedFault[]) {
    super({ code, detail: formatFaults(faults) });
    this.faults = faults;
  }
}

/** Writes faults as compilers do, one per line: `file:line: key: what was expected`. */
export function formatFaults(faults: readonly LocatedFault[]): string {
  return faults
    .map(({ file, line, key, message }) => {
      const place = line === undefined ? file : `${file}:${line}`;
      return key === undefined ? `${place}: ${message}` : `${place}: ${key}: ${message}`;
    })
    .join('\n');
}
