import type { KeptScan } from '../../../interface/plant/scans.ts';
import { COMMISSION } from '../../text/commission.ts';
import { fill } from '../../text/fill.ts';
import { formatCount, formatLeft } from '../../text/format.ts';

/** Says how far a scan is, what it found, and how long its present stretch takes. */
export function describeScan(scan: KeptScan): string {
  return [...(scan.state === 'RUNNING' ? [describeSteps(scan)] : []), ...describeRest(scan)].join(', ');
}

/** Says how far a scan is in as few words as there can be. */
export function describeSteps({ done = 0, total }: KeptScan): string {
  return total === undefined
    ? fill(COMMISSION.steps, { done: formatCount(done) })
    : fill(COMMISSION.stepsOf, { done: formatCount(done), total: formatCount(total) });
}

function describeRest({ state, found, secondsLeft }: KeptScan): readonly string[] {
  const end = state === 'RUNNING' ? [] : [fill(COMMISSION[state === 'FAILED' ? 'scanFailed' : 'scanEnded'])];
  const left =
    secondsLeft === undefined ? [] : [fill(COMMISSION.left, { time: formatLeft(secondsLeft * 1000) })];
  return [...end, fill(COMMISSION.foundCount, { count: formatCount(found) }), ...left];
}
