import type { Slices } from '../../../base/slices.ts';

/** A list of a JSON text; positions are of bytes. */
interface ScannedList {
  /** Behind the opening bracket. */
  readonly start: number;
  /** Commas between its elements. */
  readonly commas: readonly number[];
  /** The closing bracket. */
  readonly end: number;
}

/** Size and outline of a JSON text; counting stops just past the bounds. */
interface Scan {
  readonly depth: number;
  readonly values: number;
  /** Names of members that differ. */
  readonly names: number;
  /** The list that is the text, or the lists that are members of its object; undefined: brackets do not match. */
  readonly lists: readonly ScannedList[] | undefined;
}

interface Bounds {
  readonly maximumDepth: number;
  readonly maximumNames: number;
}

// Less than a millisecond.
const SLICE_BYTES = 0x1_0000;

/**
 * Looks at a text of UTF-8 before it is parsed, valid or not; stops once it is too deep or has too many names. Bytes of other
 * characters are never those of ASCII.
 */
export function* scanJson(text: Buffer, { maximumDepth, maximumNames }: Bounds): Slices<Scan> {
  let [depth, values, deepest] = [0, 1, 0];
  // The present slice, a character for each byte.
  let slice = '';
  let [sliceStart, sliceEnd] = [0, 0];
  let isInString = false;
  let stringAt = 0;
  let stringEnd = 0;
  const names = new Set<string>();
  const lists: ScannedList[] = [];
  const listDepth = /^\s*\[/.test(text.toString('latin1', 0, SLICE_BYTES)) ? 1 : 2;
  let open: { readonly start: number; readonly commas: number[] } | undefined;
  for (let index = 0; index < text.length; index += 1) {
    if (index >= sliceEnd) {
      yield;
      sliceStart = index;
      sliceEnd = index + SLICE_BYTES;
      slice = text.toString('latin1', sliceStart, sliceEnd);
    }
    const character = slice[index - sliceStart];
    if (isInString) {
      if (character === '\\') index += 1;
      else if (character === '"') {
        isInString = false;
        stringEnd = index;
      }
    } else if (character === '"') {
      isInString = true;
      stringAt = index;
    } else if (character === ':') {
      const name =
        stringAt >= sliceStart
          ? slice.slice(stringAt - sliceStart, stringEnd - sliceStart)
          : text.toString('latin1', stringAt, stringEnd);
      if (names.add(name).size > maximumNames) break;
    } else if (character === '{' || character === '[') {
      depth += 1;
      values += 1;
      deepest = Math.max(deepest, depth);
      if (depth > maximumDepth) break;
      if (depth === listDepth && character === '[') open = { start: index + 1, commas: [] };
    } else if (character === '}' || character === ']') {
      if (depth === listDepth && open !== undefined) {
        lists.push({ ...open, end: index });
        open = undefined;
      }
      depth -= 1;
    } else if (character === ',') {
      values += 1;
      if (depth === listDepth) open?.commas.push(index);
    }
  }
  return { depth: deepest, values, names: names.size, lists: depth === 0 && !isInString ? lists : undefined };
}

/**
 * Parses a text in slices: the elements of its lists one by one, and the rest without them.
 *
 * @param lists of its scan
 * @param parse parses a whole JSON text
 * @throws {SyntaxError} if the text is not valid JSON
 */
export function* parseByElements(
  text: Buffer,
  lists: readonly ScannedList[],
  parse: (text: string) => unknown,
): Slices<unknown> {
  const filled = lists.filter(
    ({ start, commas, end }) => commas.length > 0 || /\S/.test(text.toString('utf8', start, end)),
  );
  // Each list has its number instead of its elements.
  const ends = [0, ...filled.map(({ end }) => end)];
  const outline = filled.map(({ start }, index) => `${text.toString('utf8', ends[index], start)}"${index}"`);
  const root = parse([...outline, text.toString('utf8', ends.at(-1))].join(''));
  const contents: unknown[][] = [];
  for (const { start, commas, end } of filled) {
    const elements: unknown[] = [];
    for (const [index, from] of [start, ...commas.map((comma) => comma + 1)].entries()) {
      yield;
      elements.push(parse(text.toString('utf8', from, commas[index] ?? end)));
    }
    contents.push(elements);
  }
  const contentOf = (value: unknown): unknown =>
    Array.isArray(value) && value.length === 1 ? contents[Number(value[0])] : value;
  if (typeof root !== 'object' || root === null || Array.isArray(root)) return contentOf(root);
  return Object.fromEntries(Object.entries(root).map(([name, value]) => [name, contentOf(value)]));
}
