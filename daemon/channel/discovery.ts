import { describeReasons } from '../base/fault-reason.ts';
import type { FaultReason } from '../base/fault-reason.ts';

/** Plain data of the configuration. */
export type Settings = Readonly<Record<string, unknown>>;

/** Code of a sentence, with its values. */
type SentenceCode = Omit<FaultReason, 'message'>;

/** A text of a scan, with the code of each of its sentences for clients that have their own words. */
export interface ScanText {
  /** English text for display; may contain text of the device. */
  readonly text: string;
  /** Absent if the text has names and values alone. */
  readonly reasons?: readonly SentenceCode[] | undefined;
}

/** Progress of a scan; its text is the current request, in short: `unit 7`. */
export interface ScanProgress extends ScanText {
  readonly type: 'progress';
  /** Completed steps. */
  readonly done: number;
  /** Absent if unknown. */
  readonly total?: number | undefined;
}

/** A finding of a scan in one line, reported immediately, so that an early end loses nothing. */
export interface ScanFinding extends ScanText {
  readonly type: 'found';
  /** Subject: `unit 7`, the line, an endpoint. */
  readonly subject: string;
  /** Codes of the words in the subject; absent if it is a name. */
  readonly subjectReasons?: readonly SentenceCode[] | undefined;
  /** Kind in protocol terms: `UNIT`, `IDENTIFICATION`, `RANGE`. */
  readonly kind: string;
  /** The same as the text, machine-readable. */
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

/** A note for the user: an English sentence, with the codes of its parts. */
export interface ScanNote {
  readonly message: string;
  readonly reasons: readonly SentenceCode[];
}

/** Configuration proposed by a scan. */
export interface Proposal {
  readonly assets: readonly ProposedAsset[];
  readonly notes: readonly ScanNote[];
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

/** Returns what a scan shows for sentences with codes. */
export function describeScan(...reasons: readonly FaultReason[]): Required<ScanText> {
  return { text: describeReasons(reasons), reasons: reasons.map(toCode) };
}

/** Returns the subject of a finding. */
export function nameSubject(reason: FaultReason): Pick<ScanFinding, 'subject' | 'subjectReasons'> {
  return { subject: reason.message, subjectReasons: [toCode(reason)] };
}

/** Returns a note: its sentences begin with a capital and end with a full stop. */
export function createNote(...reasons: readonly FaultReason[]): ScanNote {
  const text = describeReasons(reasons);
  return { message: `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`, reasons: reasons.map(toCode) };
}

// The text has the English message already.
function toCode({ code, parameters }: FaultReason): SentenceCode {
  return { code, parameters };
}
