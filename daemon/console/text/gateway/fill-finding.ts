import type { FaultReason } from '../../../interface/failure.ts';
import type { Finding, FindingCause } from '../../../interface/finding.ts';
import { formatCount } from '../format.ts';
import { language } from '../language.ts';

const STATUS = /^(?:Bad|Uncertain|Good)(?:$|[A-Z])/;
const STATUS_CODE = /^OPCUA_((?:BAD|UNCERTAIN|GOOD)(?:_[A-Z0-9]+)*)$/;

/**
 * Fills the values of a finding into a sentence of the current language: numbers with its digit grouping, lists with its conjunction,
 * and `{causes}` with the causes.
 *
 * @param explain words for one cause
 */
export function fillFinding(
  sentence: string,
  { parameters, causes = [] }: Pick<Finding, 'parameters' | 'causes'>,
  explain: (cause: FindingCause) => string,
): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (place, name: string) => {
    if (name === 'causes') return causes.map((cause) => describeCause(cause, explain)).join('; ');
    const value = parameters[name];
    if (value === undefined) return place;
    return typeof value === 'number' ? formatCount(value) : typeof value === 'string' ? value : join(value);
  });
}

/**
 * Returns the official name of the OPC UA status in a code.
 *
 * @param code `BadNodeIdUnknown`, or `OPCUA_BAD_NODE_ID_UNKNOWN`
 * @returns undefined for any other code
 */
export function statusOf(code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  if (STATUS.test(code)) return code;
  return STATUS_CODE.exec(code)?.[1]
    ?.split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('');
}

// Lists of what would be accepted, and kinds of values.
const CHOICES: ReadonlySet<string> = new Set([
  'kinds',
  'values',
  'keys',
  'types',
  'valueTypes',
  'wanted',
  'policies',
]);
const KINDS: ReadonlySet<string> = new Set(['kinds', 'found', 'users']);

/**
 * Fills the values of an error in a document into a sentence of the current language: numbers as they have to be written there.
 *
 * @param kinds words for the kinds of values
 */
export function fillFault(
  sentence: string,
  { parameters }: FaultReason,
  kinds: Readonly<Record<string, string>>,
): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (place, name: string) => {
    const value = parameters[name];
    if (value === undefined) return place;
    const texts = typeof value === 'object' ? value : [String(value)];
    const words = KINDS.has(name) ? texts.map((text) => kinds[text] ?? text) : texts;
    return join(words, CHOICES.has(name) ? 'disjunction' : 'conjunction');
  });
}

function describeCause(cause: FindingCause, explain: (cause: FindingCause) => string): string {
  const words = explain(cause);
  return cause.names === undefined ? words : `${join(cause.names)}: ${words}`;
}

function join(names: readonly string[], type: 'conjunction' | 'disjunction' = 'conjunction'): string {
  return new Intl.ListFormat(language.value, { type }).format(names);
}
