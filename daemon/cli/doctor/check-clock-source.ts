import type { Finding } from '../machine-checks.ts';
import type { ServiceFacts } from './service-facts.ts';

const CHECK = 'time';
// A machine that has just started has not heard of its servers yet.
const SETTLING_SECONDS = 600;

interface ClockMachine {
  /** Whether the clock is that of another system, which alone can set it. */
  readonly isContainer: boolean;
  readonly uptimeSeconds: number;
}

/** Checks that the clock follows a source: one that runs alone is off by seconds each week. */
export function checkClockSource(
  { clock }: ServiceFacts,
  { isContainer, uptimeSeconds }: ClockMachine,
): Finding {
  if (clock === undefined) return { check: CHECK, state: 'UNKNOWN', detail: 'not checked: no timedatectl' };
  const { CanNTP, NTP, NTPSynchronized } = clock;
  if (NTPSynchronized === 'yes') return { check: CHECK, state: 'GOOD', detail: 'the clock is synchronized' };
  if (isContainer) {
    return { check: CHECK, state: 'UNKNOWN', detail: 'not checked: the clock is that of the host' };
  }
  if (CanNTP === 'no') {
    const detail = 'the clock is not synchronized: no program for it is installed';
    return { check: CHECK, state: 'WRONG', detail, advice: 'apt-get install systemd-timesyncd' };
  }
  if (NTP === 'no') {
    const detail = 'the clock is not synchronized: that is switched off';
    return { check: CHECK, state: 'WRONG', detail, advice: 'timedatectl set-ntp true' };
  }
  const detail = 'the clock is not synchronized: no time server has answered';
  const advice = 'check the network and the servers: timedatectl timesync-status';
  return { check: CHECK, state: uptimeSeconds < SETTLING_SECONDS ? 'WARNING' : 'WRONG', detail, advice };
}
