import { messageOf } from '../../base/errors.ts';
import { listDrivers, testDriver } from '../../interface/plant/drivers.ts';
import type { Finding } from '../machine-checks.ts';
import type { RestClient } from '../client/rest-client.ts';

/** What a connection said when it was asked. */
export interface DriverCheck {
  readonly pid: string;
  readonly finding: Finding;
  /** Whether there is no connection, so that nothing behind it can be asked. */
  readonly isAway: boolean;
  /** Whether a channel of an asset was asked for, and gave no value. */
  readonly hasAskedChannel: boolean;
}

/** Asks a device of each connection now: one that nobody has read since the start says nothing by itself. */
export async function checkDevices(client: RestClient): Promise<readonly DriverCheck[]> {
  const drivers = await client.call(listDrivers);
  return Promise.all(drivers.map(({ pid, endpoint }) => checkDevice(client, pid, endpoint)));
}

async function checkDevice(client: RestClient, pid: string, endpoint: string): Promise<DriverCheck> {
  const check = `driver ${pid}`;
  try {
    const { outcome, durationMs, asked, message = '' } = await client.call(testDriver, { pid });
    if (outcome !== 'FAILED') {
      const answer = outcome === 'ANSWERED' ? `responds in ${durationMs} ms` : 'is connected';
      const finding: Finding = { check, state: 'GOOD', detail: `${endpoint} ${answer}` };
      return { pid, finding, isAway: false, hasAskedChannel: false };
    }
    const detail = asked === undefined ? message : `${asked}: ${message}`;
    const advice = `check power, wiring and address of ${endpoint}`;
    return {
      pid,
      finding: { check, state: 'WRONG', detail, advice },
      isAway: asked === undefined,
      hasAskedChannel: asked?.startsWith('channel ') === true,
    };
  } catch (error) {
    const finding: Finding = {
      check,
      state: 'UNKNOWN',
      detail: messageOf(error),
      advice: 'repeat the check',
    };
    return { pid, finding, isAway: false, hasAskedChannel: false };
  }
}
