/** Highlighting class of a token; plain text has none. */
export type Colour = 'key' | 'quoted' | 'remark' | 'sign';

/** Highlighted range of a line. */
export interface ColouredPart {
  readonly from: number;
  readonly to: number;
  readonly colour: Colour;
}

/** Constructs of YAML or JSON that are open between two lines. */
export interface LineState {
  /** Number of open brackets. */
  readonly brackets: number;
  /** First character of the scalar that continues: a quote, `|` or `>`; empty: none. */
  readonly scalar: string;
  /** Indentation of the parent of that scalar: the first line that is not deeper ends it. */
  readonly indent: number;
}

/** State before the first line of a text. */
export const FIRST_LINE: LineState = { brackets: 0, scalar: '', indent: 0 };

/** Longest line with colours: a document on one line must not be scanned at each key. */
const MAXIMUM_CHARACTERS = 5000;

const END_OF_QUOTED = { '"': /(?:[^"\\]|\\.)*"/y, "'": /(?:[^']|'')*'/y } as const;
const SPACES = /[ \t]*/y;
const COLON = /[ \t]*:(?=[ \t]|$)/y;
/** A quoted key needs no space after its colon within brackets (YAML 1.2.2, 7.4.2). */
const COLON_IN_BRACKETS = /[ \t]*:/y;
const PLAIN = /(?:[^:#]|:(?![ \t]|$)|(?<![ \t])#)+/y;
const PLAIN_IN_BRACKETS = /(?:[^:#,[\]{}]|:(?![ \t,[\]{}]|$)|(?<![ \t])#)+/y;
const SEQUENCE_ITEM = /[-?](?=[ \t]|$)/y;
const NAME = /[&*!][^ \t,[\]{}]*/y;
const BLOCK_SCALAR = /[|>][-+\d]*(?=[ \t]*(?:$|[ \t]#))/y;
const MARK_OF_DOCUMENT = /^(?:---|\.\.\.)(?=[ \t]|$)/;

/**
 * Lists the highlighted ranges of a line, in order.
 *
 * @param before state at the end of the previous line
 * @returns the ranges and the state at the end of the line
 */
export function colourLine(
  line: string,
  before: LineState,
): { readonly parts: readonly ColouredPart[]; readonly after: LineState } {
  if (line.length > MAXIMUM_CHARACTERS) return { parts: [], after: before };
  const parts: ColouredPart[] = [];
  let brackets = before.brackets;
  let at = 0;
  const indent = match(SPACES, line, 0);
  const isOpen = before.scalar !== '' && (indent === line.length || indent > before.indent);
  const isBlock = before.scalar === '|' || before.scalar === '>';
  if (isOpen && isBlock) return { parts, after: before };
  const add = (to: number, colour: Colour): void => {
    if (to > at) parts.push({ from: at, to, colour });
    at = to;
  };
  if (isOpen) {
    const end = match(before.scalar === '"' ? END_OF_QUOTED['"'] : END_OF_QUOTED["'"], line, 0);
    at = indent;
    add(end === 0 ? line.length : Math.max(end, indent), 'quoted');
    if (end === 0) return { parts, after: before };
  } else if (brackets === 0) {
    const [mark] = line.startsWith('%') ? [line] : (MARK_OF_DOCUMENT.exec(line) ?? []);
    if (mark !== undefined) add(mark.length, 'remark');
  }

  // Column of the innermost key or item: deeper lines continue its scalar.
  let parent = line.startsWith('---') ? -1 : indent;
  while (at < line.length) {
    at += match(SPACES, line, at);
    const sign = line[at];
    if (sign === undefined) break;
    if (sign === '#') add(line.length, 'remark');
    else if (sign === '"' || sign === "'") {
      const end = at + 1 + match(END_OF_QUOTED[sign], line, at + 1);
      if (end === at + 1) {
        add(line.length, 'quoted');
        // Within brackets, a string ends with its line: while one is typed, the others keep their colours.
        return { parts, after: { brackets, scalar: brackets === 0 ? sign : '', indent: parent } };
      }
      addScalar(end, 'quoted', brackets > 0 ? COLON_IN_BRACKETS : COLON);
    } else if (sign === '{' || sign === '[') {
      brackets += 1;
      add(at + 1, 'sign');
    } else if (sign === '}' || sign === ']') {
      brackets = Math.max(0, brackets - 1);
      add(at + 1, 'sign');
    } else if (match(COLON, line, at) > 0 || (sign === ',' && brackets > 0)) add(at + 1, 'sign');
    else if (brackets === 0 && match(SEQUENCE_ITEM, line, at) > 0) {
      parent = at;
      add(at + 1, 'sign');
    } else if (sign === '&' || sign === '*' || sign === '!') add(at + match(NAME, line, at), 'sign');
    else if (brackets === 0 && match(BLOCK_SCALAR, line, at) > 0) {
      add(at + match(BLOCK_SCALAR, line, at), 'sign');
      at += match(SPACES, line, at);
      add(line.length, 'remark');
      return { parts, after: { brackets, scalar: sign, indent: parent } };
    } else {
      const pattern = brackets > 0 ? PLAIN_IN_BRACKETS : PLAIN;
      addScalar(at + Math.max(1, match(pattern, line, at)), undefined, COLON);
    }
  }
  return { parts, after: brackets === 0 ? FIRST_LINE : { brackets, scalar: '', indent: 0 } };

  /** Adds a scalar; a colon after it makes it a key. */
  function addScalar(end: number, colour: Colour | undefined, colon: RegExp): void {
    const rest = match(colon, line, end);
    const trimmed = at + line.slice(at, end).trimEnd().length;
    if (rest === 0 && colour === undefined) at = end;
    else if (rest === 0) add(end, colour ?? 'key');
    else {
      parent = at;
      add(trimmed, 'key');
      at = end + rest - 1;
      add(at + 1, 'sign');
    }
  }
}

/** Returns the length of what a sticky pattern matches at a position. */
function match(pattern: RegExp, line: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0].length ?? 0;
}
