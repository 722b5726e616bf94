import { parseElements } from './array-value.ts';
import { encodeVariant } from './encode-variant.ts';
import { VariantFault } from './variant.ts';
import type { VariantLike } from './variant.ts';
import type { WriteType } from './write-type.ts';

/** Encodes JSON text of one value or one array in a type; with an open rank the text decides. */
export function encodeText({ type, rank }: WriteType, text: string): VariantLike | VariantFault {
  if (rank !== 0 && text.startsWith('[')) return encodeVariant({ type, rank: rank ?? 'SOME' }, text);
  const scalar = parseElements(type, `[${text}]`, 1);
  if (scalar instanceof VariantFault) return scalar;
  const [element] = scalar.elements;
  if (element === undefined) return new VariantFault('VALUE_TYPE_MISMATCH', 'it is missing');
  return encodeVariant({ type, rank: rank ?? 0 }, element);
}
