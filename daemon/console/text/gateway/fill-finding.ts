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

function describeCause(cause: FindingCause, explain: (cause: FindingCause) => string): string {
  const words = explain(cause);
  return cause.names === undefined ? words : `${join(cause.names)}: ${words}`;
}

function join(names: readonly string[]): string {
  return new Intl.ListFormat(language.value, { type: 'conjunction' }).format(names);
}
