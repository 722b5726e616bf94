import type { ChannelFailure } from '../../../channel/channel-record.ts';
import { ConnectionError } from '../../../channel/driver-errors.ts';
import { HttpRefusal } from '../../http/problem.ts';

/**
 * Returns the response of a device.
 *
 * @throws {HttpRefusal} 502 if it is unreachable or rejects the request
 * @throws other errors of `ask`
 */
export async function refuseForDevice<T extends object>(
  ask: () => Promise<T | { readonly failure: ChannelFailure }>,
): Promise<T> {
  try {
    const answer = await ask();
    if (!('failure' in answer)) return answer;
    const { code, message: detail } = answer.failure;
    throw new HttpRefusal({ status: 502, code, detail });
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    const { code, detail } = error;
    throw new HttpRefusal({ status: 502, code, detail, cause: error });
  }
}
