import type { AuditEvent } from '../../../interface/security/audit.ts';
import { AUDIT_EVENTS } from '../../text/audit-events.ts';
import { fill } from '../../text/fill.ts';
import { METHODS, RECORD } from '../../text/record.ts';

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

// Shown separately.
const SHOWN_SEPARATELY = new Set(['asset', 'channels', 'failed', 'status', 'code', 'errorCode']);

/** Describes identity, event and outcome. */
export function showAuditEvent(event: AuditEvent): ShownAuditEvent {
  const { identity, method, address = '', outcome, target = '', detail = {} } = event;
  const way = [method === undefined ? '' : fill(RECORD.byWay, { method: methodWords(method) }), address];
  return {
    who: identity ?? fill(address === '' ? RECORD.gateway : RECORD.nobody),
    way: way.filter((part) => part !== '').join(', '),
    what: `${eventWords(event.event)} ${subjectOf(event)}`.trim(),
    facts: [...listFacts(detail), ...(isPath(target) ? [target] : [])],
    outcome: [fill(RECORD[outcome]), ...reasonOf(detail)].join(', '),
  };
}

function listFacts(detail: NonNullable<AuditEvent['detail']>): readonly string[] {
  return Object.entries(detail)
    .filter(([name, value]) => !SHOWN_SEPARATELY.has(name) && value !== undefined)
    .map(([name, value]) =>
      name.startsWith('channels[') ? describeWritten(String(value)) : `${name}: ${String(value)}`,
    );
}

// The outcome of the event is shown once; an element that failed names its code.
function describeWritten(entry: string): string {
  return entry.replace(/^SUCCESS /, '');
}

function isPath(target: string): boolean {
  return target.startsWith('/');
}

/** Returns the name of an event; unknown ones are returned unchanged. */
export function eventWords(event: string): string {
  return isKnown(event) ? fill(AUDIT_EVENTS[event]) : event;
}

function isKnown(event: string): event is keyof typeof AUDIT_EVENTS {
  return event in AUDIT_EVENTS;
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
