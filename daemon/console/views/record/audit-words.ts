import type { AuditEvent } from '../../../interface/security/audit.ts';
import { nameCause } from '../../parts/gateway-words.ts';
import { fill } from '../../text/fill.ts';
import { METHODS, RECORD } from '../../text/record.ts';
import { eventWords, listFacts } from './audit-facts.ts';

/** Audit event as text. */
interface ShownAuditEvent {
  readonly who: string;
  /** Authentication method and address. */
  readonly way: string;
  readonly what: string;
  /** Further recorded details. */
  readonly facts: readonly string[];
  readonly outcome: string;
  /** Code and status of the response; empty for a success. */
  readonly code: string;
}

/** Outcomes that the page distinguishes. */
export const OUTCOMES = {
  SUCCESS: RECORD.SUCCESS,
  FAILURE: RECORD.FAILURE,
  CODE_REQUESTED: RECORD.CODE_REQUESTED,
} as const;

/** Returns the outcome of an event as the page has it: a password that lacks only the code of the second factor is no failure. */
export function outcomeOf({ event, outcome, detail }: AuditEvent): keyof typeof OUTCOMES {
  const isHalfway = event === 'LOGIN' && detail?.['code'] === 'SECOND_FACTOR_NEEDED';
  return isHalfway ? 'CODE_REQUESTED' : outcome;
}

/** Describes identity, event and outcome. */
export function showAuditEvent(event: AuditEvent): ShownAuditEvent {
  const { identity, method, address = '', target = '', detail = {} } = event;
  const outcome = outcomeOf(event);
  const way = [method === undefined ? '' : fill(RECORD.byWay, { method: methodWords(method) }), address];
  return {
    who: identity ?? fill(address === '' ? RECORD.gateway : RECORD.nobody),
    way: way.filter((part) => part !== '').join(', '),
    what: `${eventWords(event.event)} ${subjectOf(event)}`.trim(),
    facts: [...listFacts(detail), ...(isPath(target) ? [target] : [])],
    outcome: outcome === 'FAILURE' ? describeFailure(detail) : fill(OUTCOMES[outcome]),
    code: describeCode(detail),
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

type Detail = NonNullable<AuditEvent['detail']>;

function describeFailure(detail: Detail): string {
  const code = codeOf(detail);
  return code === undefined ? fill(RECORD.FAILURE) : `${fill(RECORD.FAILURE)}: ${nameCause(code)}`;
}

function describeCode(detail: Detail): string {
  const code = codeOf(detail);
  const status = detail['status'];
  return [
    ...(code === undefined ? [] : [fill(RECORD.errorCode, { code })]),
    ...(status === undefined ? [] : [fill(RECORD.status, { status: String(status) })]),
  ].join(', ');
}

/** Code of a failure, or number of that of a package operation. */
function codeOf(detail: Detail): string | undefined {
  return (detail['code'] ?? detail['errorCode'])?.toString();
}
