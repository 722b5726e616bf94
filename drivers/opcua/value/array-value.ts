import { ArrayTextFault, formatArray, parseArray } from '../../../daemon/channel/array-text.ts';
import type { ElementKind } from '../../../daemon/channel/array-text.ts';
import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import type { BuiltInType } from './data-type.ts';
import { VariantFault } from './variant.ts';

const WHITE_SPACE = /^[ \t\n\r]*$/;

/** Elements of an array, row by row for a matrix, with the length of each dimension. */
export interface ArrayValue<Element> {
  readonly elements: readonly Element[];
  readonly dimensions: readonly number[];
}

const OTHER_KINDS: Partial<Record<BuiltInType, ElementKind>> = {
  Boolean: 'BOOLEAN',
  Float: 'FLOAT32',
  Double: 'FLOAT64',
  ByteString: 'BYTES',
};
const TEXTS: ReadonlySet<BuiltInType> = new Set([
  'String',
  'DateTime',
  'Guid',
  'LocalizedText',
  'XmlElement',
  'NodeId',
  'ExpandedNodeId',
  'StatusCode',
  'QualifiedName',
]);

/** Formats one value as JSON text; null if the server has no value. */
export function formatElement(type: BuiltInType, element: ChannelValue | null): string {
  return element === null ? 'null' : formatArray(kindOf(type), [element]).slice(1, -1);
}

/**
 * Formats elements as JSON text: an array, or an array of rows for a matrix.
 *
 * @param texts JSON text of each element
 */
export function formatElements({ elements: texts, dimensions }: ArrayValue<string>): string {
  const [, ...rest] = dimensions;
  if (rest.length === 0) return `[${texts.join(',')}]`;
  const length = rest.reduce((product, each) => product * each, 1);
  const rows = Array.from({ length: length === 0 ? 0 : texts.length / length }, (_, row) =>
    formatElements({ elements: texts.slice(row * length, (row + 1) * length), dimensions: rest }),
  );
  return `[${rows.join(',')}]`;
}

/**
 * Parses elements from JSON text.
 *
 * @param rank number of dimensions. Default: that of the text.
 */
export function parseElements(
  type: BuiltInType,
  text: string,
  rank = countDimensions(text),
): ArrayValue<ChannelValue> | VariantFault {
  if (rank <= 1) {
    const elements = parseArray(kindOf(type), text);
    return elements instanceof ArrayTextFault
      ? new VariantFault(elements.code, elements.message)
      : { elements, dimensions: [elements.length] };
  }
  return joinRows(text, (row) => parseElements(type, row, rank - 1), rank);
}

/**
 * Splits JSON text into the texts of its elements, without validation of these.
 *
 * @param rank number of dimensions; an element may be an array itself
 */
export function splitElements(text: string, rank: number): ArrayValue<string> | VariantFault {
  if (rank > 1) return joinRows(text, (row) => splitElements(row, rank - 1), rank);
  const elements = splitJsonArray(text)?.map((element) => element.trim());
  return elements === undefined
    ? new VariantFault('VALUE_TYPE_MISMATCH', 'the text is not a JSON array')
    : { elements, dimensions: [elements.length] };
}

function joinRows<Element>(
  text: string,
  parseRow: (row: string) => ArrayValue<Element> | VariantFault,
  rank: number,
): ArrayValue<Element> | VariantFault {
  const rows = splitJsonArray(text);
  if (rows === undefined) {
    return new VariantFault('VALUE_TYPE_MISMATCH', `the text is not a JSON array of ${rank} dimensions`);
  }
  const parts: (readonly Element[])[] = [];
  let inner: readonly number[] | undefined;
  for (const [index, row] of rows.entries()) {
    const parsed = parseRow(row);
    if (parsed instanceof VariantFault)
      return new VariantFault(parsed.code, `row [${index}]: ${parsed.message}`);
    inner ??= parsed.dimensions;
    if (String(parsed.dimensions) !== String(inner)) {
      return new VariantFault('VALUE_OUT_OF_RANGE', `row [${index}] is not as long as row [0]`);
    }
    parts.push(parsed.elements);
  }
  const rest = inner ?? Array.from({ length: rank - 1 }, () => 0);
  return { elements: parts.flat(), dimensions: [rows.length, ...rest] };
}

function countDimensions(text: string): number {
  return /^(?:[ \t\n\r]*\[){1,8}/.exec(text)?.[0].replaceAll(/[^[]/g, '').length ?? 1;
}

function kindOf(type: BuiltInType): ElementKind {
  return OTHER_KINDS[type] ?? (TEXTS.has(type) ? 'STRING' : 'INTEGER');
}

/**
 * Splits a JSON array into the texts of its elements, with white space and without validation.
 *
 * @returns undefined if the text is not an array or its brackets do not match
 */
export function splitJsonArray(text: string): readonly string[] | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('[') || !trimmed.endsWith(']')) return undefined;
  const elements: string[] = [];
  let depth = 0;
  let start = 1;
  let isInText = false;
  for (let at = 0; at < trimmed.length; at += 1) {
    const character = trimmed[at];
    if (isInText) {
      if (character === '\\') at += 1;
      else if (character === '"') isInText = false;
    } else if (character === '"') isInText = true;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') {
      depth -= 1;
      // The array must end with the text.
      if (depth === 0 && at !== trimmed.length - 1) return undefined;
    } else if (character === ',' && depth === 1) {
      elements.push(trimmed.slice(start, at));
      start = at + 1;
    }
  }
  if (depth !== 0 || isInText) return undefined;
  const last = trimmed.slice(start, -1);
  return elements.length === 0 && WHITE_SPACE.test(last) ? [] : [...elements, last];
}
