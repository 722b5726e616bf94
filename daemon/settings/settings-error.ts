import { GatewayError } from '../base/errors.ts';

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
}

/** The static configuration is invalid; `faults` lists what the administrator has to correct. */
export class SettingsError extends GatewayError {
  readonly faults: readonly LocatedFault[];

  /** @param code `SETTINGS_UNREADABLE` if a file cannot be read, otherwise `SETTINGS_INVALID` */
  constructor(code: 'SETTINGS_UNREADABLE' | 'SETTINGS_INVALID', faults: readonly LocatedFault[]) {
    super({ code, detail: formatFaults(faults) });
    this.faults = faults;
  }
}

/** Formats errors like compilers, one per line: `file:line: key: expectation`. */
export function formatFaults(faults: readonly LocatedFault[]): string {
  return faults
    .map(({ file, line, key, message }) => {
      const place = line === undefined ? file : `${file}:${line}`;
      return key === undefined ? `${place}: ${message}` : `${place}: ${key}: ${message}`;
    })
    .join('\n');
}
