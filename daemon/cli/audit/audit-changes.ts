import type { AuditEvent } from '../../interface/security/audit.ts';
import { toPrintable } from '../terminal/table.ts';

type Detail = NonNullable<AuditEvent['detail']>;

/**
 * Formats the details of an audit event, one line each: `rest.basicAuthenticationEnabled: false -> true` for a
 * configuration change, `SUCCESS setpoint 21.5, before 20 at …` for a write.
 */
export function formatEventChanges(detail: Detail = {}): string {
  const entries = Object.entries(detail);
  const lines = entries.flatMap(([name, value]) => {
    const [, list, index] = /^(\w+)\[(\d+)\]$/.exec(name) ?? [];
    // Codes are for programs; their sentences are shown.
    if (name === 'reasons') return [];
    if (list === undefined) return [`${name}: ${String(value)}`];
    const other = (key: string): string | undefined => textOf(detail[`${key}[${index}]`]);
    if (list === 'path') return [formatChange(String(value), other)];
    if (list === 'channels') return [formatWrite(String(value), other)];
    return SHOWN_WITH_OTHERS.has(list) ? [] : [`${name}: ${String(value)}`];
  });
  return lines.map((line) => `    ${toPrintable(line)}\n`).join('');
}

// Shown in the line of their path or channel.
const SHOWN_WITH_OTHERS: ReadonlySet<string> = new Set([
  'old',
  'new',
  'secret',
  'before',
  'condition',
  'reasons',
]);

type Other = (name: string) => string | undefined;

function formatChange(path: string, other: Other): string {
  const secret = other('secret');
  if (secret !== undefined) return `${path}: secret ${secret}`;
  return `${path}: ${other('old') ?? 'absent'} -> ${other('new') ?? 'absent'}`;
}

function formatWrite(result: string, other: Other): string {
  const before = other('before');
  const condition = other('condition');
  return [result, before && `before ${before}`, condition].filter((part) => part).join(', ');
}

function textOf(value: Detail[string] | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
