import { isMap, isPair, isScalar, isSeq, parseDocument, visit } from 'yaml';

import { CURSOR } from './schema-at.ts';
import { cutSurroundings } from './surroundings.ts';

/** Where somebody is in a text, as the text is meant. */
export interface TextCursor {
  /** Keys and indexes from the top: of a value itself, of a key what it is in. In a large text indexes count what was read. */
  readonly path: readonly (string | number)[];
  readonly role: 'KEY' | 'VALUE';
  /** The word at the cursor, without quotes; empty where none is yet. */
  readonly word: string;
  readonly from: number;
  readonly to: number;
  /** Quotes around the word are part of what it stands in for. */
  readonly hasQuotes: boolean;
  /** A key that has its colon already. */
  readonly hasColon: boolean;
  readonly isJson: boolean;
  /** What the text around says; {@link CURSOR} stands for the word. */
  readonly document: unknown;
}

// More would keep the next key waiting: it takes some ten milliseconds.
const MAXIMUM_CHARACTERS = 20_000;

const WORD_BEFORE = /[\w.$/][\w.$/-]*$/;
const WORD_AFTER = /^[\w.$/-]*/;

/**
 * Finds what the word at an offset of a YAML or JSON text is: a key, or the value of one.
 *
 * @returns undefined in comments, in texts of several words, and where the text cannot be understood
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
  /** With the quotes. */
  readonly outerFrom: number;
  readonly outerTo: number;
  readonly hasQuotes: boolean;
  /** The rest of the line on both sides, without quotes. */
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

// A word alone on its line is the beginning of a key, or an item of a list: without a colon the next line would belong to it.
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
    // Few aliases are meant; many are a mistake or an attack.
    return isMap(document.contents) ? document.toJS({ maxAliasCount: 100 }) : {};
  } catch {
    return {};
  }
}
