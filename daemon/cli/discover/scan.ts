import type { AnswerOf } from '../../interface/endpoint.ts';
import type { scanDevice, ScanFault, ScanFinding, ScanProgress, ScanResult } from '../../interface/scans.ts';
import type { Invocation } from '../client-verb.ts';
import { CommandError } from '../command-error.ts';
import { ProgressLine } from '../progress-line.ts';
import { toPrintable } from '../table.ts';

/** What came of a scan. */
export interface Discovered {
  readonly findings: readonly ScanFinding[];
  /** Absent when the scan was stopped or failed. */
  readonly result?: ScanResult;
  /** Why the scan failed. */
  readonly failure?: CommandError;
}

/** The events of a scan, which begins when the first one is asked for. */
export type ScanEvents = AsyncIterable<AnswerOf<typeof scanDevice>>;

// The line is not to wrap on a narrow terminal.
const PROGRESS_CHARACTERS = 70;

/**
 * Has the gateway scan, with its progress in one line of the terminal; Ctrl-C ends the scan.
 *
 * @throws {CommandError} when the gateway refuses the scan
 */
export async function runScan({ terminal }: Invocation, events: ScanEvents): Promise<Discovered> {
  const line = new ProgressLine(terminal);
  const findings: ScanFinding[] = [];
  const { stopSignal } = terminal;
  line.show('scanning; Ctrl-C ends it');
  try {
    for await (const { type, data } of events) {
      if (type === 'progress') line.show(describeProgress(data, findings.length));
      if (type === 'found') findings.push(data);
      if (type === 'result') return { findings, result: data };
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

function describeProgress({ done, total, text }: ScanProgress, found: number): string {
  const share = total === undefined ? `${done}` : `${done}/${total}`;
  return toPrintable(`${share}  ${text}  (${found} found; Ctrl-C ends it)`).slice(0, PROGRESS_CHARACTERS);
}

function toFailure({ code, message }: ScanFault): CommandError {
  return new CommandError({ code, detail: message });
}
