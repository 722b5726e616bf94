import type { AuditEvent } from '../../../interface/security/audit.ts';
import { fill } from '../../text/fill.ts';
import { METHODS, RECORD } from '../../text/record.ts';
import { eventWords, listFacts } from './audit-facts.ts';

const OUTCOMES = { SUCCESS: RECORD.SUCCESS, FAILURE: RECORD.FAILURE } as const;

/** Audit event as text. */
interface ShownAuditEvent {
  readonly who: string;
  /** Authentication method and address. */
  readonly way: string;
  readonly what: string;
  /** Further recorded details. */
  readonly facts: readonly string[];
  readonly outcome: string;
}

/** Describes identity, event and outcome. */
export function showAuditEvent(event: AuditEvent): ShownAuditEvent {
  const { identity, method, address = '', outcome, target = '', detail = {} } = event;
  const way = [method === undefined ? '' : fill(RECORD.byWay, { method: methodWords(method) }), address];
  return {
    who: identity ?? fill(address === '' ? RECORD.gateway : RECORD.nobody),
    way: way.filter((part) => part !== '').join(', '),
    what: `${eventWords(event.event)} ${subjectOf(event)}`.trim(),
    facts: [...listFacts(detail), ...(isPath(target) ? [target] : [])],
    outcome: [fill(OUTCOMES[outcome]), ...reasonOf(detail)].join(', '),
  };
}

function isPath(target: string): boolean {
  return target.startsWith('/');
}

function methodWords(method: string): string {
  const text = METHODS[method];
  return text === undefined ? method : fill(text);
}

function subjectOf({ target = '', detail }: AuditEvent): string {
  const asset = detail?.['asset'];
  if (asset !== undefined) return String(asset);
  return isPath(target) ? '' : target;
}

function reasonOf(detail: NonNullable<AuditEvent['detail']>): readonly string[] {
  return [detail['code'], detail['status'], detail['errorCode']].flatMap((value) =>
    value === undefined ? [] : [String(value)],
  );
}
