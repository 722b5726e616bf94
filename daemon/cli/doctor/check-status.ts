import { checkStatus } from '../../interface/status.ts';
import type { GatewayCheck } from '../../interface/status.ts';
import { isNotFound, Refused } from '../command-error.ts';
import { formatLocalTime } from '../terminal/local-time.ts';
import type { Finding } from '../machine-checks.ts';
import type { RestClient } from '../client/rest-client.ts';
import { findChainFault } from '../audit/audit-chain.ts';

// The doctor checks these itself, in more detail.
const SEEN_OTHERWISE = new Set(['clock', 'disk', 'reload', 'certificate', 'connection', 'unit', 'channel']);

/**
 * Adds findings of the gateway itself: unread files, bundles, audit destinations. Empty if the caller may not see them.
 */
export async function checkOwnStatus(client: RestClient): Promise<readonly Finding[]> {
  try {
    const { checks } = await client.call(checkStatus);
    return checks.filter(({ check }) => !SEEN_OTHERWISE.has(check)).map(toFinding);
  } catch (error) {
    // Gateways of earlier releases do not report a status.
    if (error instanceof Refused || isNotFound(error)) return [];
    throw error;
  }
}

const OWN_ADVICE: Readonly<Record<string, string>> = {
  chain:
    'run "penstock audit verify", and find out who could write to the store; earlier exports remain verifiable',
  store: 'free disk space, or check the kernel log',
};

const TITLES: Readonly<Record<string, string>> = {
  secret: 'secrets of',
  audit: 'audit to',
  auditLog: 'audit',
};

function toFinding(status: GatewayCheck): Finding {
  const { check, name, state, detail, since, lastTakenAt } = status;
  const named = name === undefined ? check : `${TITLES[check] ?? check} ${name}`;
  const last = lastTakenAt === undefined ? '' : `; last accepted at ${formatLocalTime(lastTakenAt)}`;
  if (state !== 'WRONG' && state !== 'WARNING') return { check: named, state, detail: `${detail}${last}` };
  const from = since === undefined ? '' : `; since ${formatLocalTime(since)}`;
  return { check: named, state, detail: `${detail}${from}${last}`, advice: adviseOn(status) };
}

function adviseOn({ check, name = '' }: GatewayCheck): string {
  if (check === 'configuration') return 'systemctl reload penstock';
  if (check === 'auditLog') return OWN_ADVICE[name] ?? '';
  if (check === 'secret') {
    return `restore secrets.key of the data directory from a backup, or "penstock driver set ${name} --password -"`;
  }
  if (check === 'bundle') return `penstock bundle log ${name}`;
  if (check === 'recording')
    return 'free disk space, or lower recording.reservedBytes; recording then resumes automatically';
  if (check === 'audit' && name !== '') {
    return `check host, port and certificates of audit.${name}; the events remain in the store`;
  }
  return 'journalctl -u penstock -p warning -n 50';
}

const CHECK = 'audit';
// Enough for a full store on slow hardware; beyond that, use the command.
const MAXIMUM_WALK_MS = 30_000;

/** Verifies the audit chain within a time limit; empty if the caller may not see the audit. */
export async function checkAuditChain(client: RestClient): Promise<readonly Finding[]> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), MAXIMUM_WALK_MS);
  try {
    const fault = await findChainFault(client, controller.signal);
    if (fault === undefined) {
      return [{ check: CHECK, state: 'GOOD', detail: 'all events are unchanged' }];
    }
    const advice = 'penstock audit verify; compare with earlier exports of penstock audit export';
    return [{ check: CHECK, state: 'WRONG', detail: `events were changed or removed: ${fault}`, advice }];
  } catch (error) {
    if (controller.signal.aborted) {
      const detail = `not checked within ${MAXIMUM_WALK_MS / 1000} s: too many events`;
      return [{ check: CHECK, state: 'UNKNOWN', detail, advice: 'penstock audit verify' }];
    }
    if (error instanceof Refused || isNotFound(error)) return [];
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
