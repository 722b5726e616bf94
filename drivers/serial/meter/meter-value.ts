import type { ChannelFailure } from '../../../daemon/channel/channel-record.ts';
import type { ChannelValue, ValueType } from '../../../daemon/channel/value-type.ts';
import { parseTextValue } from '../response-reader.ts';
import { findByCode, parseObisCode } from './obis-code.ts';
import { findUnitShift, splitValue } from './readout.ts';
import type { DataSet } from './readout.ts';

/** Location of a value in a readout. */
export interface MeterAddress {
  readonly obis: string;
  readonly position?: number | undefined;
  readonly unit?: string | undefined;
}

type Found =
  | { readonly value: ChannelValue; readonly failure?: undefined }
  | { readonly failure: ChannelFailure; readonly value?: undefined };

// Meters send up to some hundred codes.
const MAXIMUM_LISTED = 12;

/** Finds the value of a channel in a readout. */
export function findMeterValue(
  sets: readonly DataSet[],
  { obis, position = 0, unit }: MeterAddress,
  valueType: ValueType,
): Found {
  const code = parseObisCode(obis);
  const search = code === undefined ? { kind: 'NONE' as const } : findByCode(code, sets);
  if (search.kind === 'NONE') {
    return fail('SERIAL_OBIS_NOT_FOUND', `the readout has no ${obis}; it has ${listCodes(sets)}`);
  }
  if (search.kind === 'AMBIGUOUS') {
    const codes = search.channels.map((channel) => `${channel}:${obis}`).join(' and ');
    return fail('SERIAL_OBIS_NOT_FOUND', `the readout has several ${obis}; expected one of ${codes}`);
  }
  const { item } = search;
  const content = item.values[position];
  if (content === undefined) {
    return fail('SERIAL_INVALID_RESPONSE', `${describe(item)} has no value at position ${position}`);
  }
  const sent = splitValue(content);
  if (valueType === 'STRING')
    return { value: sent.unit === undefined || !content.includes('*') ? content : sent.text };
  const shift = findShift(sent.unit ?? findUnit(sets, item), unit);
  if (shift === undefined) {
    const message = `the meter sends ${describe(item)}, which cannot be converted to ${unit ?? ''}`;
    return fail('SERIAL_INVALID_RESPONSE', message);
  }
  const text = shift === 0 ? sent.text : `${sent.text.trim()}e${shift}`;
  const value = parseTextValue(text, valueType, '.');
  return value === undefined
    ? fail('SERIAL_INVALID_RESPONSE', `"${content.slice(0, 64)}" of ${item.text} is no ${valueType}`)
    : { value };
}

// Values of earlier periods often come without the unit of the current one.
function findUnit(sets: readonly DataSet[], { code }: DataSet): string | undefined {
  for (const { code: other, values } of sets) {
    if (code === undefined || other?.quantity !== code.quantity) continue;
    const { unit } = splitValue(values[0] ?? '');
    if (unit !== undefined) return unit;
  }
  return undefined;
}

function findShift(from: string | undefined, to: string | undefined): number | undefined {
  if (to === undefined) return 0;
  return from === undefined ? undefined : findUnitShift(from, to);
}

function fail(code: ChannelFailure['code'], message: string): Found {
  return { failure: { code, message } };
}

function describe({ text, values }: DataSet): string {
  return `${text}${values.map((value) => `(${value})`).join('')}`.slice(0, 96);
}

function listCodes(sets: readonly DataSet[]): string {
  if (sets.length === 0) return 'no values';
  const codes = [...new Set(sets.map(({ text }) => text))];
  const rest = codes.length - MAXIMUM_LISTED;
  return `${codes.slice(0, MAXIMUM_LISTED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
