import type { SampleValue } from '../message/value-text.ts';
import { formatValue } from '../message/value-text.ts';

/** Record of a read or written channel. */
export interface CommandRecord {
  readonly name: string;
  readonly valueType?: string | undefined;
  readonly value?: SampleValue | undefined;
  readonly requestedValue?: SampleValue | undefined;
  readonly readBack?: SampleValue | undefined;
  readonly outcome?: string | undefined;
  readonly timestampMs: number;
  readonly quality?: string | undefined;
  readonly statusCode?: string | undefined;
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
}

/** Records of a command, or the reason why there are none. */
export type CommandResult =
  | { readonly records: readonly CommandRecord[] }
  | { readonly error: { readonly code: string; readonly message: string } };

/** Members that every response has. */
export interface ResponseHead {
  readonly gateway: string;
  readonly asset?: string | undefined;
  readonly correlationData?: string | undefined;
}

/**
 * Writes a response: `{"gateway", "asset"?, "correlationData"?, "records": […]}`, with `error: {code, message}` instead of the
 * records if the command was not carried out.
 */
export function formatResponse(head: ResponseHead, result: CommandResult): string {
  const start = JSON.stringify(head).slice(0, -1);
  if ('error' in result) return `${start},"error":${JSON.stringify(result.error)}}`;
  return `${start},"records":[${result.records.map(formatRecord).join(',')}]}`;
}

function formatRecord(record: CommandRecord): string {
  const { name, valueType = '', timestampMs, outcome, quality, statusCode, failure } = record;
  const member = (key: string, value: SampleValue | undefined): string =>
    value === undefined ? '' : `,"${key}":${formatValue(valueType, value)}`;
  const rest = JSON.stringify({ timestamp: timestampMs, quality, statusCode, outcome, failure });
  return [
    `{"name":${JSON.stringify(name)}`,
    valueType === '' ? '' : `,"valueType":${JSON.stringify(valueType)}`,
    member('value', record.value),
    member('requestedValue', record.requestedValue),
    member('readBack', record.readBack),
    `,${rest.slice(1)}`,
  ].join('');
}
