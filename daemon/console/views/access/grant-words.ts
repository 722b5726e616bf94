import type { Grant } from '../../../interface/grant.ts';
import { ACCESS } from '../../text/access.ts';
import { fill } from '../../text/fill.ts';
import { formatTime } from '../../text/format.ts';

const MOST_TARGETS = 6;

/** Says what a grant permits: `writes boiler/setpoint until 18:00`. */
export function describeGrant({ assets, channels, operations, until, reason }: Grant, nowMs: number): string {
  const targets = assets.flatMap((asset) => channels?.map((channel) => `${asset}/${channel}`) ?? [asset]);
  const more = targets.length > MOST_TARGETS ? ' …' : '';
  const what = targets.slice(0, MOST_TARGETS).join(', ') + more;
  const isBoth = operations.includes('READ') && operations.includes('WRITE');
  const verb = isBoth ? ACCESS.both : operations.includes('WRITE') ? ACCESS.writes : ACCESS.reads;
  const words = [fill(verb, { what })];
  if (until !== undefined) {
    const endMs = Date.parse(until);
    words.push(fill(endMs < nowMs ? ACCESS.ended : ACCESS.until, { time: formatTime(endMs, nowMs) }));
  }
  if (reason !== undefined && reason !== '') words.push(`(${reason})`);
  return words.join(' ');
}
