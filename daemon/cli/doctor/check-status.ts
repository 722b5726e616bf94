import { isNotFound, Refused } from '../command-error.ts';
import { formatLocalTime } from '../local-time.ts';
import type { Finding } from '../machine-checks.ts';
import type { RestClient } from '../rest-client.ts';

interface ExportCheck {
  readonly check: string;
  readonly name?: string;
  readonly state: Finding['state'];
  readonly detail: string;
  readonly since?: number;
  readonly lastTakenAt?: number;
}

/** Says whether the audit is whole, and whether the places that it goes to have taken it; nothing when the caller may not see that. */
export async function checkAuditExport(client: RestClient): Promise<readonly Finding[]> {
  try {
    const { body } = await client.send('GET', '/services/status/v1');
    const { checks } = body as { readonly checks: readonly ExportCheck[] };
    return [
      ...checks.filter(({ check }) => check === 'auditLog').map(toOwnFinding),
      ...checks.filter(({ check }) => check === 'audit').map(toFinding),
    ];
  } catch (error) {
    // A gateway of an earlier release does not tell.
    if (error instanceof Refused || isNotFound(error)) return [];
    throw error;
  }
}

const OWN_ADVICE: Readonly<Record<string, string>> = {
  chain:
    'run "penstock audit verify", and find out who could write to the store; what was exported before proves itself',
  store: 'make room on the disk, or see the kernel log',
};

function toOwnFinding({ name = '', state, detail, since }: ExportCheck): Finding {
  const check = `audit ${name}`;
  if (state === 'GOOD') return { check, state, detail };
  const from = since === undefined ? '' : `; since ${formatLocalTime(since)}`;
  return { check, state, detail: `${detail}${from}`, advice: OWN_ADVICE[name] ?? '' };
}

function toFinding({ name = '', state, detail, since, lastTakenAt }: ExportCheck): Finding {
  const check = `audit to ${name}`;
  const last = lastTakenAt === undefined ? '' : `; the last was taken at ${formatLocalTime(lastTakenAt)}`;
  if (state !== 'WRONG') return { check, state, detail: `${detail}${last}` };
  const from = since === undefined ? '' : `; since ${formatLocalTime(since)}`;
  const advice = `check host, port and certificates of audit.${name}; the events wait in the store`;
  return { check, state, detail: `${detail}${from}${last}`, advice };
}
