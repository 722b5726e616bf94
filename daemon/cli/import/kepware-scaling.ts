import { NotTaken } from './imported.ts';
import type { Item } from './imported.ts';
import { lookUp } from './look-up.ts';
import { scaleFields } from './scale.ts';

/** Scaling of a tag: the fields of its channel, and the type of its scaled values. */
export interface KepwareScaling {
  readonly fields: Item;
  readonly valueType?: string;
}

const VALUE_TYPES: Readonly<Record<string, string>> = {
  char: 'INTEGER',
  byte: 'INTEGER',
  short: 'INTEGER',
  word: 'INTEGER',
  long: 'INTEGER',
  dword: 'LONG',
  float: 'FLOAT',
  double: 'DOUBLE',
};
const INTEGERS: ReadonlySet<string | undefined> = new Set(['INTEGER', 'LONG']);

/**
 * Converts the columns from `Scaling` to `Negate Value`: a line through two points becomes a factor and a summand.
 *
 * @throws {NotTaken}
 */
export function convertScaling(
  cells: ReadonlyMap<string, string>,
  remark: (reason: string) => void,
): KepwareScaling {
  const kind = (cells.get('Scaling') ?? '').toLowerCase();
  if (kind === '' || kind === 'none') return { fields: {} };
  if (kind !== 'linear') throw new NotTaken(`Scaling "${cells.get('Scaling') ?? ''}" has no counterpart`);
  const rawLow = numberIn(cells, 'Raw Low');
  const rawHigh = numberIn(cells, 'Raw High');
  const low = numberIn(cells, 'Scaled Low');
  const high = numberIn(cells, 'Scaled High');
  if (rawLow === rawHigh || low === high) throw new NotTaken('the scaling gives every value the same');
  const sign = cells.get('Negate Value') === '1' ? -1 : 1;
  const scale = (sign * (high - low)) / (rawHigh - rawLow);
  const offset = sign * low - scale * rawLow;
  if (cells.get('Clamp Low') === '1' || cells.get('Clamp High') === '1') {
    remark('values beyond the limits are not clamped here');
  }
  const named = (cells.get('Scaled Data Type') ?? '').toLowerCase();
  const valueType = lookUp(VALUE_TYPES, named === '' || named === 'default' ? 'double' : named);
  if (valueType === undefined) throw new NotTaken(`Scaled Data Type "${named}" has no counterpart`);
  return {
    fields: {
      ...scaleFields(tidy(scale), tidy(offset)),
      ...(INTEGERS.has(valueType) ? { scaleOffsetType: 'DOUBLE' } : {}),
    },
    valueType,
  };
}

/** Removes the last digits, which come of the division: 100 / 1000 is 0.1. */
function tidy(number: number): number {
  return Number(number.toPrecision(15));
}

function numberIn(cells: ReadonlyMap<string, string>, title: string): number {
  const text = cells.get(title) ?? '';
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(text)) {
    throw new NotTaken(`${title} "${text}" is no number`);
  }
  return Number(text);
}
