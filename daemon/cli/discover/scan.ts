import type { Invocation } from '../client-verb.ts';
import { CommandError } from '../command-error.ts';
import { ProgressLine } from '../progress-line.ts';
import { readEvents } from '../server-sent-events.ts';
import type { Item } from '../setting-edit.ts';
import { toPrintable } from '../table.ts';

/** Something that a scan has found. */
export interface Finding {
  readonly subject: string;
  readonly kind: string;
  readonly text: string;
  readonly fields: Item;
}

/** An asset that a scan proposes. */
export interface ProposedAsset {
  readonly pid: string;
  readonly displayName?: string;
  readonly template?: string;
  readonly parameters?: Item;
  readonly channels?: readonly Item[];
}

/** The connection over which something was found. */
export interface FoundConnection {
  /** Of the driver that has it; absent when none is configured. */
  readonly pid?: string;
  readonly type: string;
  readonly settings?: Item;
  /** The device was found, and lets nobody in yet. */
  readonly isRefusing?: boolean;
}

/** What a scan proposes for the configuration. */
export interface ScanResult {
  readonly isComplete: boolean;
  readonly connection?: FoundConnection;
  readonly assets: readonly ProposedAsset[];
  readonly notes: readonly string[];
}

/** What came of a scan. */
export interface Discovered {
  readonly findings: readonly Finding[];
  /** Absent when the scan was stopped or failed. */
  readonly result?: ScanResult;
  /** Why the scan failed. */
  readonly failure?: CommandError;
}

/** The request for a scan. */
export interface ScanCall {
  readonly path: string;
  readonly body: unknown;
}

interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly text: string;
}

// The line is not to wrap on a narrow terminal.
const PROGRESS_CHARACTERS = 70;

/**
 * Has the gateway scan, with its progress in one line of the terminal; Ctrl-C ends the scan.
 *
 * @throws {CommandError} when the gateway refuses the scan
 */
export async function runScan(
  { client, terminal }: Invocation,
  { path, body }: ScanCall,
): Promise<Discovered> {
  const line = new ProgressLine(terminal);
  const findings: Finding[] = [];
  const { stopSignal } = terminal;
  line.show('scanning; Ctrl-C ends it');
  try {
    for await (const { type, data } of readEvents(client.stream(path, stopSignal, body))) {
      if (type === 'progress') line.show(describeProgress(data as Progress, findings.length));
      if (type === 'found') findings.push(data as Finding);
      if (type === 'result') return { findings, result: data as ScanResult };
      if (type === 'failed') return { findings, failure: toFailure(data) };
    }
  } catch (error) {
    if (!stopSignal.aborted) throw error;
  } finally {
    line.clear();
  }
  if (stopSignal.aborted) return { findings };
  const detail = 'the gateway ended the scan before it was complete';
  return { findings, failure: new CommandError({ code: 'SCAN_CUT_OFF', detail }) };
}

function describeProgress({ done, total, text }: Progress, found: number): string {
  const share = total === undefined ? `${done}` : `${done}/${total}`;
  return toPrintable(`${share}  ${text}  (${found} found; Ctrl-C ends it)`).slice(0, PROGRESS_CHARACTERS);
}

function toFailure(data: unknown): CommandError {
  const { code, message } = data as { readonly code: string; readonly message: string };
  return new CommandError({ code, detail: message });
}
