import type { Text } from '@codemirror/state';

interface Line {
  readonly text: string;
  /** Indentation in columns. */
  readonly depth: number;
  readonly kind: 'BLANK' | 'ITEM' | 'OPENS_ITEM' | 'CLOSES' | 'OTHER';
}

/** What has to be known about a part of a text in order to skip it. */
interface Outline {
  /** Least indentation of its lines; infinite if all are blank. */
  readonly depth: number;
  /** First and last line of that indentation. */
  readonly first: Line | undefined;
  readonly last: Line | undefined;
  /** True if at that indentation there are only list items, each closed before the next. */
  readonly isList: boolean;
}

/** Parts of a text are immutable, and a change shares all but a few with the text before: only these are read again. */
const outlines = new WeakMap<Text, Outline>();

/**
 * Reduces a YAML or JSON text to the context of a line: the sibling keys and values at each level that contains
 * the line. Assumes that indentation reflects nesting, as in all texts laid out by a program
 * or by hand.
 *
 * @param number of the line, from 1
 * @param marked the line, with a mark
 * @returns lines of the text, including the marked one
 */
export function cutSurroundings(
  text: Text,
  { number, marked, isJson }: { readonly number: number; readonly marked: string; readonly isJson: boolean },
): string {
  const line = toLine(marked);
  // In JSON, the column within leading spaces has no meaning: use the surrounding lines.
  const own = isJson ? { ...line, depth: Number.POSITIVE_INFINITY } : line;
  return [...listAbove(text, number, own), own.text, ...listBelow(text, number)].join('\n');
}

/** Reads parts of a text ahead, so that the first key does not wait for it. Returns false if it was ended before all were read. */
export function readAhead(text: Text, isOver: () => boolean): boolean {
  for (const child of text.children ?? []) {
    if (outlines.has(child)) continue;
    if (isOver() || !readAhead(child, isOver)) return false;
  }
  outlineOf(text);
  return true;
}

function listAbove(text: Text, number: number, own: Line): readonly string[] {
  const kept: string[] = [];
  let { depth } = own;
  // Once the item at the line is found, its siblings do not matter.
  let isInItem = isItem(own);
  let closing: string | undefined;
  const visitLine = (line: Line): void => {
    if (line.kind === 'BLANK' || line.depth > depth) return;
    if (line.depth < depth) [isInItem, closing] = [false, undefined];
    depth = line.depth;
    if (line.kind === 'CLOSES') closing = line.text;
    else if (closing === undefined) {
      if (isItem(line) && isInItem) return;
      isInItem ||= isItem(line);
      kept.push(line.text);
    } else {
      // A block closed above the line is a sibling: drop list items, keep the name of keys.
      if (!isItem(line)) kept.push(closing, line.text);
      closing = undefined;
    }
  };
  const visit = (part: Text, last: number): void => {
    if (last >= part.lines) {
      const outline = outlineOf(part);
      if (outline.depth > depth) return;
      if (outline.depth === depth && outline.isList && isInItem) {
        closing = outline.first?.kind === 'CLOSES' ? outline.first.text : undefined;
        return;
      }
    }
    if (part.children === null) {
      for (const line of listLines(part).slice(0, last).toReversed()) visitLine(line);
      return;
    }
    let begin = part.lines;
    for (const child of part.children.toReversed()) {
      begin -= child.lines;
      if (last > begin) visit(child, last - begin);
    }
  };
  visit(text, number - 1);
  return kept.toReversed();
}

function listBelow(text: Text, number: number): readonly string[] {
  const kept: string[] = [];
  // The line itself can begin the deeper block: an item, or the value that it opens.
  let depth = Number.POSITIVE_INFINITY;
  let isDropped = false;
  const visitLine = (line: Line): void => {
    if (line.kind === 'BLANK' || line.depth > depth) return;
    if (line.depth < depth) isDropped = false;
    depth = line.depth;
    if (isItem(line)) isDropped = line.kind === 'OPENS_ITEM';
    else if (isDropped && line.kind === 'CLOSES') isDropped = false;
    else kept.push(line.text);
  };
  const visit = (part: Text, first: number): void => {
    if (first <= 0) {
      const outline = outlineOf(part);
      if (outline.depth > depth) return;
      if (outline.depth === depth && outline.isList && (isDropped || outline.first?.kind !== 'CLOSES')) {
        isDropped = outline.last?.kind === 'OPENS_ITEM';
        return;
      }
    }
    if (part.children === null) {
      for (const line of listLines(part).slice(Math.max(0, first))) visitLine(line);
      return;
    }
    let begin = 0;
    for (const child of part.children) {
      begin += child.lines;
      if (begin > first) visit(child, first - begin + child.lines);
    }
  };
  visit(text, number);
  return kept;
}

function outlineOf(part: Text): Outline {
  const known = outlines.get(part);
  if (known !== undefined) return known;
  const outline = (part.children === null ? listLines(part).map(outlineLine) : part.children.map(outlineOf)) //
    .reduce(join, NOTHING);
  outlines.set(part, outline);
  return outline;
}

const NOTHING: Outline = { depth: Number.POSITIVE_INFINITY, first: undefined, last: undefined, isList: true };

function outlineLine(line: Line): Outline {
  if (line.kind === 'BLANK') return NOTHING;
  return { depth: line.depth, first: line, last: line, isList: line.kind !== 'OTHER' };
}

/** Joins the outlines of two parts, one after the other. */
function join(one: Outline, other: Outline): Outline {
  if (one.depth !== other.depth) return one.depth < other.depth ? one : other;
  const isClosed = other.first?.kind !== 'CLOSES' || one.last?.kind === 'OPENS_ITEM';
  return {
    depth: one.depth,
    first: one.first,
    last: other.last,
    isList: one.isList && other.isList && isClosed,
  };
}

function listLines(leaf: Text): readonly Line[] {
  return Array.from({ length: leaf.lines }, (_, index) => toLine(leaf.line(index + 1).text));
}

function isItem({ kind }: Line): boolean {
  return kind === 'ITEM' || kind === 'OPENS_ITEM';
}

function toLine(text: string): Line {
  const depth = text.search(/\S/);
  // Comments can have any indentation.
  if (depth < 0 || text[depth] === '#') return { text, depth, kind: 'BLANK' };
  return { text, depth, kind: getKind(text, depth) };
}

function getKind(text: string, depth: number): Line['kind'] {
  const sign = text[depth];
  if (sign === '}' || sign === ']') return 'CLOSES';
  if (sign === '{' || sign === '[') return 'OPENS_ITEM';
  return sign === '-' && /^\s*-(?:\s|$)/.test(text) ? 'ITEM' : 'OTHER';
}
