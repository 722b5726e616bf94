import type { CodedFault } from '../../../interface/failure.ts';
import type { ScanFinding, ScanSummary } from '../../../interface/plant/scans.ts';
import { translateFault } from '../../parts/gateway-words.ts';
import { DEVICES } from '../../text/devices.ts';
import { fill } from '../../text/fill.ts';
import { formatCount, formatLeft } from '../../text/format.ts';

/** Describes progress, results and remaining time of a scan. */
export function describeScan(scan: ScanSummary): string {
  return [...(scan.state === 'RUNNING' ? [describeSteps(scan)] : []), ...describeRest(scan)].join(', ');
}

/** Describes the progress of a scan as briefly as possible. */
export function describeSteps({ done = 0, total }: ScanSummary): string {
  return total === undefined
    ? fill(DEVICES.steps, { done: formatCount(done) })
    : fill(DEVICES.stepsOf, { done: formatCount(done), total: formatCount(total) });
}

/** Describes how a scan ended. */
export function describeEnd(state: ScanSummary['state']): string {
  return fill(state === 'FAILED' ? DEVICES.scanFailed : DEVICES.scanEnded);
}

/** Returns what a scan reports in the current language. */
export function translateText({
  text,
  reasons,
}: {
  readonly text: string;
  readonly reasons?: ScanFinding['reasons'] | undefined;
}): string {
  return translateFault({ message: text, reasons });
}

/** Returns the subject of a finding in the current language. */
export function translateSubject({ subject, subjectReasons }: ScanFinding): string {
  return translateFault({ message: subject, reasons: subjectReasons });
}

/** Returns a note of a scan in the current language, as a sentence. */
export function translateNote(note: CodedFault): string {
  const words = translateFault(note);
  return words === note.message ? words : `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;
}

function describeRest({ state, found, secondsLeft }: ScanSummary): readonly string[] {
  const end = state === 'RUNNING' ? [] : [describeEnd(state)];
  const left =
    secondsLeft === undefined ? [] : [fill(DEVICES.left, { time: formatLeft(secondsLeft * 1000) })];
  return [...end, fill(DEVICES.foundCount, { count: formatCount(found) }), ...left];
}
