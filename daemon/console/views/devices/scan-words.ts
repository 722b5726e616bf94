import type { ScanSummary } from '../../../interface/plant/scans.ts';
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

function describeRest({ state, found, secondsLeft }: ScanSummary): readonly string[] {
  const end = state === 'RUNNING' ? [] : [describeEnd(state)];
  const left =
    secondsLeft === undefined ? [] : [fill(DEVICES.left, { time: formatLeft(secondsLeft * 1000) })];
  return [...end, fill(DEVICES.foundCount, { count: formatCount(found) }), ...left];
}
