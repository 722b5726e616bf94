import type { Text } from '@codemirror/state';
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

// A longer text is reduced to the surroundings of the word: parsing all of it would delay the next key.
const MAXIMUM_CHARACTERS = 2000;

const WORD_BEFORE = /[\w.$/][\w.$/-]*$/;
const WORD_AFTER = /^[\w.$/-]*/;

/**
 * Classifies the word at an offset of a YAML or JSON text: a key, or a value.
 *
 * @returns undefined in comments, in strings of several words, and in invalid text
 */
export function findCursor(text: Text, offset: number): TextCursor | undefined {
  const word = findWord(text, offset);
  const isJson = isJsonText(text);
  const marked = word.before + toMark(word, isJson) + word.after;
  const { number } = text.lineAt(offset);
  const around =
    text.length > MAXIMUM_CHARACTERS
      ? cutSurroundings(text, { number, marked, isJson })
      : text.sliceString(0, word.lineFrom) + marked + text.sliceString(word.lineTo);
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
    word: text.sliceString(from, to),
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
  readonly lineFrom: number;
  readonly lineTo: number;
  readonly hasQuotes: boolean;
  /** Rest of the line on both sides, without quotes. */
  readonly before: string;
  readonly after: string;
}

function findWord(text: Text, offset: number): WordAt {
  const { from: lineFrom, to: lineTo, text: line } = text.lineAt(offset);
  const at = offset - lineFrom;
  const [head = ''] = WORD_BEFORE.exec(line.slice(0, at)) ?? [];
  const [tail = ''] = WORD_AFTER.exec(line.slice(at)) ?? [];
  const [from, to] = [at - head.length, at + tail.length];
  const quote = line[from - 1] ?? '';
  const hasQuotes = quote === '"' || quote === "'";
  return {
    from: lineFrom + from,
    to: lineFrom + to,
    lineFrom,
    lineTo,
    hasQuotes,
    before: line.slice(0, hasQuotes ? from - 1 : from),
    after: line.slice(hasQuotes && line[to] === quote ? to + 1 : to),
  };
}

/** True if the first character of a text that is not a space opens a bracket. */
function isJsonText(text: Text): boolean {
  for (let number = 1; number <= text.lines; number++) {
    const { text: line } = text.line(number);
    if (/\S/.test(line)) return /^\s*[{[]/.test(line);
  }
  return false;
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
