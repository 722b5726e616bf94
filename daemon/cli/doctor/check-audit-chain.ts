import { isNotFound, Refused } from '../command-error.ts';
import { findChainFault } from '../audit-chain.ts';
import type { Finding } from '../machine-checks.ts';
import type { RestClient } from '../rest-client.ts';

const CHECK = 'audit';
// More than a full store takes on slow hardware; who waits longer has the command for it.
const LONGEST_MS = 30_000;

/** Walks the chain of the audit as far as it gets in time; nothing when the caller may not see the audit. */
export async function checkAuditChain(client: RestClient): Promise<readonly Finding[]> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), LONGEST_MS);
  try {
    const fault = await findChainFault(client, controller.signal);
    if (fault === undefined) {
      return [{ check: CHECK, state: 'GOOD', detail: 'all events are as they were recorded' }];
    }
    const advice = 'penstock audit verify; compare it with what left the gateway: penstock audit export';
    return [{ check: CHECK, state: 'WRONG', detail: `events were changed or removed: ${fault}`, advice }];
  } catch (error) {
    if (controller.signal.aborted) {
      const detail = `not checked within ${LONGEST_MS / 1000} s: there are too many events`;
      return [{ check: CHECK, state: 'UNKNOWN', detail, advice: 'penstock audit verify' }];
    }
    if (error instanceof Refused || isNotFound(error)) return [];
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
