interface Line {
  readonly text: string;
  /** Columns before what it says. */
  readonly depth: number;
  readonly kind: 'BLANK' | 'ITEM' | 'OPENS_ITEM' | 'CLOSES' | 'OTHER';
}

/**
 * Cuts what is needed to know where somebody is out of a YAML or JSON text: the keys and values beside the offset, and beside
 * each key and item that it is in. Lines tell by their indentation what they belong to, as they do wherever a program or a
 * person has laid the text out.
 *
 * @returns lines of the text; the one with the offset is among them
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
  // Where in the spaces of its line somebody is, means nothing in JSON: the lines around tell.
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
  // Once the item is known that the offset is in, the others of its list do not matter.
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
      // What opens and closes above is beside the offset: of an item of a list nothing is left, of a key that it is there.
      if (!isItem(line)) kept.push(closing, line.text);
      closing = undefined;
    }
  }
  return kept.toReversed();
}

function listBelow(lines: readonly Line[]): readonly string[] {
  const kept: string[] = [];
  // The line itself may be the first of what stands deeper: of an item, or of what it opens.
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
  // A remark stands at any depth.
  if (depth < 0 || text[depth] === '#') return { text, depth, kind: 'BLANK' };
  return { text, depth, kind: getKind(text, depth) };
}

function getKind(text: string, depth: number): Line['kind'] {
  const sign = text[depth];
  if (sign === '}' || sign === ']') return 'CLOSES';
  if (sign === '{' || sign === '[') return 'OPENS_ITEM';
  return sign === '-' && /^\s*-(?:\s|$)/.test(text) ? 'ITEM' : 'OTHER';
}
