/** Plain data of the configuration. */
export type Settings = Readonly<Record<string, unknown>>;

/** Progress of a scan. */
export interface ScanProgress {
  readonly type: 'progress';
  /** Completed steps. */
  readonly done: number;
  /** Absent if unknown. */
  readonly total?: number | undefined;
  /** Current request, in short: `unit 7`. */
  readonly text: string;
}

/** A finding of a scan, reported immediately, so that an early end loses nothing. */
export interface ScanFinding {
  readonly type: 'found';
  /** Subject: `unit 7`, the line, an endpoint. */
  readonly subject: string;
  /** Kind in protocol terms: `UNIT`, `IDENTIFICATION`, `RANGE`. */
  readonly kind: string;
  /** The finding in one line, for display; may contain text of the device. */
  readonly text: string;
  /** The same, machine-readable. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

export type ScanEvent = ScanProgress | ScanFinding;

/** A part of a device for which there may be a template. */
export interface ProposedPart {
  /** Subject of the template: `SunSpec model 113`. */
  readonly describes: string;
  /** Parameters of the template. */
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
}

/** An asset proposed for the findings. */
export interface ProposedAsset {
  /** Suggested pid, of any characters. */
  readonly pid: string;
  readonly displayName?: string | undefined;
  /** Channels as in the configuration; absent: none are known. */
  readonly channels?: readonly Settings[] | undefined;
  /** Each part with a template becomes an asset; without any, the device is one asset. */
  readonly parts?: readonly ProposedPart[] | undefined;
}

/** Configuration proposed by a scan. */
export interface Proposal {
  readonly assets: readonly ProposedAsset[];
  /** Notes for the user, in sentences. */
  readonly notes: readonly string[];
  /** Driver settings that the device needs, as the scan found out; absent: none. A new driver is created with them. */
  readonly settings?: Settings | undefined;
}

/** Input of a scan over a connection, or of the search for its settings. */
export interface Scanning {
  /** Ends the scan: nothing more is sent. The findings so far are returned. */
  readonly signal: AbortSignal;
  readonly report: (event: ScanEvent) => void;
}

/** Input of a scan over a connection. */
export interface ScanRun extends Scanning {
  /**
   * Makes one call over the connection, as a read of an asset does: connects first if necessary, applies the call deadline and
   * retries once after a lost link. The next call reopens a failed link.
   *
   * @param work rejects only for errors of the link; a refusal by the device is a result
   * @throws {ConnectionError}
   */
  readonly call: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}
