import type { AssetStatus } from '../../interface/asset-status.ts';
import type { Finding } from '../machine-checks.ts';

// Fewer may be an answer that came twice, or noise.
const SUSPICIOUS_FRAMES = 10;
// Of the answers: a counter never falls, and a few frames in months are no other master.
const SUSPICIOUS_SHARE = 0.01;

/** Finds the connections on whose line others speak, once for each however many assets it has. */
export function checkForeignFrames(statuses: readonly AssetStatus[]): readonly Finding[] {
  const drivers = new Map(statuses.map(({ driver }) => [driver.pid, driver]));
  return [...drivers.values()].flatMap(({ pid, endpoint, counters }): readonly Finding[] => {
    const { foreignFrames = 0, answers = 0 } = counters;
    if (foreignFrames < SUSPICIOUS_FRAMES || foreignFrames < SUSPICIOUS_SHARE * answers) return [];
    return [
      {
        check: `driver ${pid}`,
        state: 'WARNING',
        detail: `${endpoint}: ${foreignFrames} frames that nobody asked for: another master, or a unit that sends unasked`,
        advice: 'a serial line has one master; take the other one off the line, or end what the unit sends',
      },
    ];
  });
}
