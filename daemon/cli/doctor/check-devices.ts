import { messageOf } from '../../base/errors.ts';
import { listDrivers, testDriver } from '../../interface/plant/drivers.ts';
import type { Finding } from '../machine-checks.ts';
import type { RestClient } from '../client/rest-client.ts';

/** Result of a connection test. */
export interface DriverCheck {
  readonly pid: string;
  readonly finding: Finding;
  /** Settings that the device needs, as its driver found out. */
  readonly hints: readonly Finding[];
  /** True without a connection, so that its assets cannot be read. */
  readonly isAway: boolean;
  /** True if the test read a channel of an asset and failed. */
  readonly hasAskedChannel: boolean;
}

/** Tests each connection now, because the status of an unused one is unknown. */
export async function checkDevices(client: RestClient): Promise<readonly DriverCheck[]> {
  const drivers = await client.call(listDrivers);
  return Promise.all(drivers.map(({ pid, endpoint }) => checkDevice(client, pid, endpoint)));
}

async function checkDevice(client: RestClient, pid: string, endpoint: string): Promise<DriverCheck> {
  const check = `driver ${pid}`;
  try {
    const {
      outcome,
      durationMs,
      asked,
      message = '',
      advice: wanted = [],
    } = await client.call(testDriver, { pid });
    const isAway = outcome === 'FAILED' && asked === undefined;
    // Without a connection it is only one of the possible causes.
    const hints = (isAway ? [] : wanted).map((detail): Finding => ({
      check,
      state: 'WARNING',
      detail,
      advice: `then: penstock driver set ${pid}`,
    }));
    if (outcome !== 'FAILED') {
      const answer = outcome === 'ANSWERED' ? `responds in ${durationMs} ms` : 'is connected';
      const finding: Finding = { check, state: 'GOOD', detail: `${endpoint} ${answer}` };
      return { pid, finding, hints, isAway: false, hasAskedChannel: false };
    }
    const detail = asked === undefined ? message : `${asked}: ${message}`;
    const others = isAway ? wanted : [];
    const advice = [`check power, wiring and address of ${endpoint}`, ...others].join('; ');
    return {
      pid,
      finding: { check, state: 'WRONG', detail, advice },
      hints,
      isAway,
      hasAskedChannel: asked?.startsWith('channel ') === true,
    };
  } catch (error) {
    const finding: Finding = {
      check,
      state: 'UNKNOWN',
      detail: messageOf(error),
      advice: 'repeat the check',
    };
    return { pid, finding, hints: [], isAway: false, hasAskedChannel: false };
  }
}
