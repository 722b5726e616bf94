/** Plain data of the configuration. */
export type Settings = Readonly<Record<string, unknown>>;

/** How far a scan has come. */
export interface ScanProgress {
  readonly type: 'progress';
  /** Steps that are done. */
  readonly done: number;
  /** Absent where nobody knows how many there will be. */
  readonly total?: number | undefined;
  /** What is being asked, in a few words: `unit 7`. */
  readonly text: string;
}

/** Something that a scan has found; it is reported as soon as it is known, so that nothing is lost when the scan ends early. */
export interface ScanFinding {
  readonly type: 'found';
  /** What it belongs to: `unit 7`, the line, an endpoint. */
  readonly subject: string;
  /** What it is, in the words of the protocol: `UNIT`, `IDENTIFICATION`, `RANGE`. */
  readonly kind: string;
  /** The finding in one line, for people; may hold what the device says of itself. */
  readonly text: string;
  /** The same for programs. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

export type ScanEvent = ScanProgress | ScanFinding;

/** A part of a device for which there may be a template. */
export interface ProposedPart {
  /** What the template says that it describes: `SunSpec model 113`. */
  readonly describes: string;
  /** Parameters that the template takes. */
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
}

/** An asset that would serve what was found. */
export interface ProposedAsset {
  /** Wish for a pid, of any characters. */
  readonly pid: string;
  readonly displayName?: string | undefined;
  /** Channels as in the configuration; absent: none are known. */
  readonly channels?: readonly Settings[] | undefined;
  /** Each part that has a template becomes an asset; without any, the device is one asset. */
  readonly parts?: readonly ProposedPart[] | undefined;
}

/** What a scan proposes for the configuration. */
export interface Proposal {
  readonly assets: readonly ProposedAsset[];
  /** What a person should know, in sentences. */
  readonly notes: readonly string[];
}

/** What a scan over a connection, or the search for its settings, is given. */
export interface Scanning {
  /** Ends the scan soon: nothing more is sent. What was found until then is returned all the same. */
  readonly signal: AbortSignal;
  readonly report: (event: ScanEvent) => void;
}

/** What a scan over a connection is given. */
export interface ScanRun extends Scanning {
  /**
   * Makes one call over the connection, like a read of an asset: connects first where needed, has the deadline of a call, is
   * repeated once when the link was cut off, and a link that fails is opened again by the next call.
   *
   * @param work rejects only when the link is at fault; a device that refuses is a result
   * @throws {ConnectionError}
   */
  readonly call: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}
