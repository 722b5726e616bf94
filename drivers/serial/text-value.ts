import type { ChannelValue, ValueType } from '../../daemon/channel/value-type.ts';

const TRUE_WORDS: ReadonlySet<string> = new Set(['1', 'true', 'on']);
const FALSE_WORDS: ReadonlySet<string> = new Set(['0', 'false', 'off']);

// Scales pad between sign and digits: "+   12.50".
const NUMBER = /^([+-]?) *(\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Reads the value that an instrument wrote as text.
 *
 * A number is decimal, with blanks around it and after its sign; a whole number keeps every digit. BOOLEAN is 1, true or
 * on, and 0, false or off, in any case.
 *
 * @returns undefined when the text is not a value of the type
 */
export function parseTextValue(
  text: string,
  valueType: ValueType,
  decimalSeparator: '.' | ',',
): ChannelValue | undefined {
  if (valueType === 'STRING') return text;
  const trimmed = text.trim();
  if (valueType !== 'BOOLEAN') return parseNumber(trimmed, decimalSeparator);
  const word = trimmed.toLowerCase();
  if (TRUE_WORDS.has(word)) return true;
  return FALSE_WORDS.has(word) ? false : undefined;
}

function parseNumber(text: string, decimalSeparator: '.' | ','): number | bigint | undefined {
  if (decimalSeparator === ',' && text.includes('.')) return undefined;
  const found = NUMBER.exec(text.replace(decimalSeparator, '.'));
  if (found === null) return undefined;
  const [, sign = '', digits = '', exponent = '0'] = found;
  const number = Number(`${sign}${digits}e${exponent}`);
  if (!Number.isFinite(number)) return undefined;
  if (Number.isSafeInteger(number) || !/^\d+$/.test(digits) || exponent !== '0') return number;
  return BigInt(`${sign === '-' ? '-' : ''}${digits}`);
}
