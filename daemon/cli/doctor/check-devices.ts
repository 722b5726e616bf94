import { messageOf } from '../../base/errors.ts';
import type { Finding } from '../machine-checks.ts';
import type { RestClient } from '../rest-client.ts';

/** What a test of a connection answers; see the REST interface. */
interface ConnectionTest {
  readonly outcome: 'ANSWERED' | 'CONNECTED' | 'FAILED';
  readonly durationMs: number;
  readonly asked?: string;
  readonly message?: string;
}

const ROOT = '/services/drivers/v1';

/** Asks a device of each connection now: one that nobody has read since the start says nothing by itself. */
export async function checkDevices(client: RestClient): Promise<readonly Finding[]> {
  const { body } = await client.send('GET', ROOT);
  const drivers = body as readonly { readonly pid: string; readonly endpoint: string }[];
  return Promise.all(drivers.map(({ pid, endpoint }) => checkDevice(client, pid, endpoint)));
}

async function checkDevice(client: RestClient, pid: string, endpoint: string): Promise<Finding> {
  const check = `driver ${pid}`;
  try {
    const { body } = await client.send('POST', `${ROOT}/${encodeURIComponent(pid)}/_test`);
    const { outcome, durationMs, asked, message = '' } = body as ConnectionTest;
    if (outcome !== 'FAILED') {
      const answer = outcome === 'ANSWERED' ? `answers in ${durationMs} ms` : 'is connected';
      return { check, state: 'GOOD', detail: `${endpoint} ${answer}` };
    }
    const detail = asked === undefined ? message : `${asked}: ${message}`;
    return { check, state: 'WRONG', detail, advice: `check power, wiring and address of ${endpoint}` };
  } catch (error) {
    return { check, state: 'UNKNOWN', detail: messageOf(error), advice: 'ask again' };
  }
}
