import type { AuditEvent } from '../../../interface/security/audit.ts';
import { nameCause, readReasons, translateFault } from '../../parts/gateway-words.ts';
import { nameBundlePermission, namePermission } from '../../parts/permission-words.ts';
import { AUDIT_EVENTS } from '../../text/audit-events.ts';
import { AUDIT_FACTS, AUDIT_VALUES, FACT_WORDS } from '../../text/audit-facts.ts';
import { fill } from '../../text/fill.ts';
import { formatTime } from '../../text/format.ts';

type Detail = NonNullable<AuditEvent['detail']>;
type Value = Detail[string] | undefined;

const SHOWN_SEPARATELY = new Set(['asset', 'channels', 'failed', 'status', 'code', 'errorCode', 'reasons']);
// Their values are words of the gateway; those of other details are names.
const WITH_WORDS = new Set(['action', 'operation', 'passwordChange', 'purpose', 'reason', 'secondFactor']);
const OF_CHANGE = /^(path|old|new|secret)\[(\d+)\]$/;
const OF_ELEMENT = /^(before|condition|reasons)\[(\d+)\]$/;
const OF_BUNDLE = /^permissions (.+)$/;
// `READ,WRITE boiler/setpoint until 2026-12-01T18:00:00Z (permit 4711)`.
const GRANT = /^(READ|WRITE|READ,WRITE|WRITE,READ) (\S+)(?: until (\S+))?(.*)$/s;
const READ_AT = / at (\d{4}-[\dT:.-]+Z)$/;

/** Returns the details of an event in words, apart from those that the page shows elsewhere. */
export function listFacts(detail: Detail): readonly string[] {
  return Object.entries(detail)
    .filter(([name, value]) => !SHOWN_SEPARATELY.has(name) && value !== undefined)
    .flatMap(([name, value]) => describeFact(name, value, detail));
}

/** Returns the name of an event; unknown ones are returned unchanged. */
export function eventWords(event: string): string {
  return isKnown(event) ? fill(AUDIT_EVENTS[event]) : event;
}

function isKnown(event: string): event is keyof typeof AUDIT_EVENTS {
  return event in AUDIT_EVENTS;
}

function describeFact(name: string, value: Value, detail: Detail): readonly string[] {
  if (name.startsWith('channels[')) return [describeWritten(String(value))];
  const [, part, place] = OF_CHANGE.exec(name) ?? [];
  if (place !== undefined) return part === 'path' ? [describeChange(String(value), place, detail)] : [];
  const [, what, index] = OF_ELEMENT.exec(name) ?? [];
  if (what === 'reasons') return [];
  if (what !== undefined) {
    const number = detail['channels'] === 1 ? '' : ` ${Number(index) + 1}`;
    const words =
      what === 'before' ? withReadTime(String(value)) : translateFact(value, detail[`reasons[${index}]`]);
    return [`${nameFact(what)}${number}: ${words}`];
  }
  const [, bundle] = OF_BUNDLE.exec(name) ?? [];
  if (bundle !== undefined)
    return [`${fill(FACT_WORDS.permissionsOf, { bundle })}: ${nameAll(value, nameBundlePermission)}`];
  if (name === 'fault') return [`${nameFact(name)}: ${translateFact(value, detail['reasons'])}`];
  return [`${nameFact(name)}: ${showValue(name, value)}`];
}

/** Returns a sentence of the gateway in the current language, by the codes that the event has of it. */
function translateFact(sentence: Value, reasons: Value): string {
  return translateFault({ message: String(sentence), reasons: readReasons(reasons) });
}

/** Names a detail; an unknown one keeps its own name. */
function nameFact(name: string): string {
  const text = AUDIT_FACTS[name];
  if (text !== undefined) return fill(text);
  const current = AUDIT_FACTS[name.replace(/Before$/, '')];
  return current === undefined ? name : fill(FACT_WORDS.before, { name: fill(current) });
}

function showValue(name: string, value: Value): string {
  if (typeof value === 'boolean') return translateValue(value ? 'yes' : 'no');
  if (typeof value === 'number') return name.endsWith('Ms') ? formatTime(value) : String(value);
  const text = String(value);
  if (name === 'event') return eventWords(text);
  if (name === 'permission' || name.startsWith('permissions')) return nameAll(text, namePermission);
  if (name === 'grants' || name === 'grantsBefore') return text.split('; ').map(describeGrant).join('; ');
  return WITH_WORDS.has(name) ? translateValue(text) : text;
}

/** Names the elements of a list; a dash for an empty one. */
function nameAll(value: Value, nameOne: (name: string) => string): string {
  const text = String(value);
  return text === '' ? '–' : text.split(', ').map(nameOne).join(', ');
}

/** Describes a grant; the number of all grants, and what is cut off, stay. */
function describeGrant(text: string): string {
  const [, operations, place = '', until, rest = ''] = GRANT.exec(text) ?? [];
  if (operations === undefined) return text;
  const endMs = Date.parse(until ?? '');
  const what = Number.isNaN(endMs) ? place : fill(FACT_WORDS.until, { what: place, time: formatTime(endMs) });
  const one = operations === 'READ' ? FACT_WORDS.reads : FACT_WORDS.writes;
  return `${fill(operations.includes(',') ? FACT_WORDS.readsAndWrites : one, { what })}${rest}`;
}

function translateValue(value: string): string {
  const text = AUDIT_VALUES[value];
  return text === undefined ? value : fill(text);
}

/** One changed key with its previous and its new value. */
function describeChange(path: string, place: string, detail: Detail): string {
  const secret = detail[`secret[${place}]`];
  if (secret !== undefined) {
    return `${path}: ${fill(FACT_WORDS.secret, { change: translateValue(String(secret)) })}`;
  }
  return `${path}: ${detail[`old[${place}]`] ?? '–'} → ${detail[`new[${place}]`] ?? '–'}`;
}

// The outcome of the event is shown once; an element that failed has its cause.
function describeWritten(entry: string): string {
  const [, code, failed] = /^FAILURE (\S+) (.*)$/s.exec(entry) ?? [];
  const words = (failed ?? entry.replace(/^SUCCESS /, ''))
    .replace(/, read back ([^,]*)$/, (_, value: string) => `, ${fill(FACT_WORDS.readBack, { value })}`)
    .replace(
      /, requested ([^,]*)(?=,|$)/,
      (_, value: string) => `, ${fill(FACT_WORDS.requested, { value })}`,
    );
  return code === undefined ? words : `${words}: ${nameCause(code)}`;
}

function withReadTime(value: string): string {
  return value.replace(READ_AT, (_, time: string) => `, ${formatTime(Date.parse(time))}`);
}
