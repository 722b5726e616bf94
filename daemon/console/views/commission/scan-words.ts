import type { ScanSummary } from '../../../interface/plant/scans.ts';
import { COMMISSION } from '../../text/commission.ts';
import { fill } from '../../text/fill.ts';
import { formatCount, formatLeft } from '../../text/format.ts';

/** Describes progress, results and remaining time of a scan. */
export function describeScan(scan: ScanSummary): string {
  return [...(scan.state === 'RUNNING' ? [describeSteps(scan)] : []), ...describeRest(scan)].join(', ');
}

/** Describes the progress of a scan as briefly as possible. */
export function describeSteps({ done = 0, total }: ScanSummary): string {
  return total === undefined
    ? fill(COMMISSION.steps, { done: formatCount(done) })
    : fill(COMMISSION.stepsOf, { done: formatCount(done), total: formatCount(total) });
}

function describeRest({ state, found, secondsLeft }: ScanSummary): readonly string[] {
  const end = state === 'RUNNING' ? [] : [fill(COMMISSION[state === 'FAILED' ? 'scanFailed' : 'scanEnded'])];
  const left =
    secondsLeft === undefined ? [] : [fill(COMMISSION.left, { time: formatLeft(secondsLeft * 1000) })];
  return [...end, fill(COMMISSION.foundCount, { count: formatCount(found) }), ...left];
}
