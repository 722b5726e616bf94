import { isMap, isPair, isScalar, isSeq, parseDocument, visit } from 'yaml';

import { CURSOR } from './schema-at.ts';
import { cutSurroundings } from './surroundings.ts';

/** Position of the cursor in the structure of a text. */
export interface TextCursor {
  /** Path from the root: of a value itself, or of the parent of a key. In a large text, indexes count the parsed items. */
  readonly path: readonly (string | number)[];
  readonly role: 'KEY' | 'VALUE';
  /** Word at the cursor, without quotes; can be empty. */
  readonly word: string;
  readonly from: number;
  readonly to: number;
  /** Range to replace, including quotes. */
  readonly hasQuotes: boolean;
  /** True if the key already has its colon. */
  readonly hasColon: boolean;
  readonly isJson: boolean;
  /** Surrounding document, with {@link CURSOR} in place of the word. */
  readonly document: unknown;
}

// A longer text would delay the next key: parsing takes some ten milliseconds.
const MAXIMUM_CHARACTERS = 20_000;

const WORD_BEFORE = /[\w.$/][\w.$/-]*$/;
const WORD_AFTER = /^[\w.$/-]*/;

/**
 * Classifies the word at an offset of a YAML or JSON text: a key, or a value.
 *
 * @returns undefined in comments, in strings of several words, and in invalid text
 */
export function findCursor(text: string, offset: number): TextCursor | undefined {
  const word = findWord(text, offset);
  const isJson = /^\s*[{[]/.test(text);
  const marked = text.slice(0, word.outerFrom) + toMark(word, isJson) + text.slice(word.outerTo);
  const around =
    text.length > MAXIMUM_CHARACTERS ? cutSurroundings(marked, word.outerFrom, { isJson }) : marked;
  const document = parseDocument(around, { logLevel: 'silent' });
  let found: Pick<TextCursor, 'path' | 'role'> | undefined;
  visit(document, {
    Scalar(role, node, parents) {
      if (node.value !== CURSOR) return undefined;
      found = { path: toPath([...parents, node]), role: role === 'key' ? 'KEY' : 'VALUE' };
      return visit.BREAK;
    },
  });
  if (found === undefined) return undefined;
  const { from, to, hasQuotes, after } = word;
  return {
    ...found,
    word: text.slice(from, to),
    from,
    to,
    hasQuotes,
    hasColon: /^\s*:/.test(after),
    isJson,
    document: readDocument(document),
  };
}

interface WordAt {
  readonly from: number;
  readonly to: number;
  /** Including the quotes. */
  readonly outerFrom: number;
  readonly outerTo: number;
  readonly hasQuotes: boolean;
  /** Rest of the line on both sides, without quotes. */
  readonly before: string;
  readonly after: string;
}

function findWord(text: string, offset: number): WordAt {
  const begin = text.lastIndexOf('\n', offset - 1) + 1;
  const next = text.indexOf('\n', offset);
  const end = next < 0 ? text.length : next;
  const [head = ''] = WORD_BEFORE.exec(text.slice(begin, offset)) ?? [];
  const [tail = ''] = WORD_AFTER.exec(text.slice(offset, end)) ?? [];
  const [from, to] = [offset - head.length, offset + tail.length];
  const quote = from > begin ? (text[from - 1] ?? '') : '';
  const hasQuotes = quote === '"' || quote === "'";
  const outerFrom = hasQuotes ? from - 1 : from;
  const outerTo = hasQuotes && text[to] === quote ? to + 1 : to;
  return {
    from,
    to,
    outerFrom,
    outerTo,
    hasQuotes,
    before: text.slice(begin, outerFrom),
    after: text.slice(outerTo, end),
  };
}

// A word alone on its line starts a key or a list item: without a colon, the next line would continue it.
function toMark({ before, after }: WordAt, isJson: boolean): string {
  const isAlone = /^[\s-]*$/.test(before) && /^\s*,?\s*(?:#.*)?$/.test(after);
  if (!isAlone) return isJson ? `"${CURSOR}"` : CURSOR;
  if (!isJson) return `${CURSOR}:`;
  return `"${CURSOR}": null${after.includes(',') ? '' : ','}`;
}

function toPath(nodes: readonly unknown[]): readonly (string | number)[] {
  return nodes.flatMap((node, index): (string | number)[] => {
    const child = nodes[index + 1];
    if (isPair(node)) return child === node.key || !isScalar(node.key) ? [] : [String(node.key.value)];
    return isSeq(node) ? [node.items.indexOf(child)] : [];
  });
}

function readDocument(document: ReturnType<typeof parseDocument>): unknown {
  try {
    // Many aliases are a mistake or an attack.
    return isMap(document.contents) ? document.toJS({ maxAliasCount: 100 }) : {};
  } catch {
    return {};
  }
}
