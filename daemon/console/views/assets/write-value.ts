import type { ChannelRecord } from '../../../interface/plant/assets.ts';
import { ASSETS } from '../../text/assets.ts';
import { fill } from '../../text/fill.ts';
import { ungroupDigits } from '../../text/format.ts';

/** Value of a request, or the error of its text. */
export type TypedValue =
  | { readonly kind: 'VALUE'; readonly value: string | number | boolean }
  | { readonly kind: 'WRONG'; readonly message: string };

/** Parses input as a channel value. Numbers with more digits than a double holds stay strings. */
export function readTyped(text: string, valueType: ChannelRecord['valueType']): TypedValue {
  // Displayed values can be pasted back: with digit grouping and a true minus sign.
  const plain = text.trim().replaceAll('\u2212', '-');
  switch (valueType) {
    case 'BOOLEAN':
      return plain === '' ? wrong(fill(ASSETS.choose)) : { kind: 'VALUE', value: plain === 'true' };
    case 'STRING':
    case 'BYTE_ARRAY':
      return { kind: 'VALUE', value: text };
    case 'INTEGER':
    case 'LONG': {
      const whole = ungroupDigits(plain);
      if (!/^[+-]?\d+$/.test(whole)) return wrong(fill(ASSETS.notWhole, { text }));
      const value = Number(whole);
      return { kind: 'VALUE', value: Number.isSafeInteger(value) ? value : whole };
    }
    case 'FLOAT':
    case 'DOUBLE': {
      // Accepts the comma where it is the decimal separator.
      const value = Number(/^[^.]*,[^.,]*$/.test(plain) ? plain.replace(',', '.') : plain);
      return plain === '' || !Number.isFinite(value)
        ? wrong(fill(ASSETS.notNumber, { text }))
        : { kind: 'VALUE', value };
    }
  }
}

function wrong(message: string): TypedValue {
  return { kind: 'WRONG', message };
}
