interface Line {
  readonly text: string;
  /** Indentation in columns. */
  readonly depth: number;
  readonly kind: 'BLANK' | 'ITEM' | 'OPENS_ITEM' | 'CLOSES' | 'OTHER';
}

/**
 * Reduces a YAML or JSON text to the context of an offset: the sibling keys and values at each level that contains
 * the offset. Assumes that indentation reflects nesting, as in all texts laid out by a program
 * or by hand.
 *
 * @returns lines of the text, including the line with the offset
 */
export function cutSurroundings(
  text: string,
  offset: number,
  { isJson }: { readonly isJson: boolean },
): string {
  const begin = text.lastIndexOf('\n', offset - 1) + 1;
  const next = text.indexOf('\n', offset);
  const end = next < 0 ? text.length : next;
  const line = toLine(text.slice(begin, end));
  // In JSON, the column within leading spaces has no meaning: use the surrounding lines.
  const own = isJson ? { ...line, depth: Number.POSITIVE_INFINITY } : line;
  const before = text
    .slice(0, Math.max(0, begin - 1))
    .split('\n')
    .map(toLine);
  const after = text
    .slice(end + 1)
    .split('\n')
    .map(toLine);
  return [...listAbove(before, own), own.text, ...listBelow(after)].join('\n');
}

function listAbove(lines: readonly Line[], own: Line): readonly string[] {
  const kept: string[] = [];
  let { depth } = own;
  // Once the item at the offset is found, its siblings do not matter.
  let isInItem = isItem(own);
  let closing: string | undefined;
  for (const line of lines.toReversed()) {
    if (line.kind === 'BLANK' || line.depth > depth) continue;
    if (line.depth < depth) [isInItem, closing] = [false, undefined];
    depth = line.depth;
    if (line.kind === 'CLOSES') closing = line.text;
    else if (closing === undefined) {
      if (isItem(line) && isInItem) continue;
      isInItem ||= isItem(line);
      kept.push(line.text);
    } else {
      // A block closed above the offset is a sibling: drop list items, keep the name of keys.
      if (!isItem(line)) kept.push(closing, line.text);
      closing = undefined;
    }
  }
  return kept.toReversed();
}

function listBelow(lines: readonly Line[]): readonly string[] {
  const kept: string[] = [];
  // The line itself can begin the deeper block: an item, or the value that it opens.
  let depth = Number.POSITIVE_INFINITY;
  let isDropped = false;
  for (const line of lines) {
    if (line.kind === 'BLANK' || line.depth > depth) continue;
    if (line.depth < depth) isDropped = false;
    depth = line.depth;
    if (isItem(line)) isDropped = line.kind === 'OPENS_ITEM';
    else if (isDropped && line.kind === 'CLOSES') isDropped = false;
    else kept.push(line.text);
  }
  return kept;
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
