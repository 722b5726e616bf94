/** How a part of the configuration is written. */
export type TextFormat = 'YAML' | 'JSON';

/** What a text says, or where it cannot be read. */
export type ReadText =
  | { readonly kind: 'VALUE'; readonly value: unknown }
  | { readonly kind: 'WRONG'; readonly message: string; readonly line: number; readonly offset: number };

/** A part of a text. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** Reads and writes YAML; JSON is part of it. */
export interface DocumentText {
  read(text: string): ReadText;
  write(value: unknown, format: TextFormat): string;
  /** Returns where the value of a path is, or what it would be in where it is missing. */
  locate(text: string, path: readonly (string | number)[]): TextRange;
}

/** Loads what reads YAML: it is large, and few pages need it. */
export async function loadDocumentText(): Promise<DocumentText> {
  const { LineCounter, isNode, parseDocument, stringify } = await import('yaml');
  const read = (text: string): ReadText => {
    const lines = new LineCounter();
    const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const [error] = parsed.errors;
    if (error !== undefined) {
      const [offset] = error.pos;
      return { kind: 'WRONG', message: error.message, line: lines.linePos(offset).line, offset };
    }
    try {
      // Few aliases are meant; many are a mistake or an attack.
      return { kind: 'VALUE', value: parsed.toJS({ maxAliasCount: 100 }) };
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : '';
      return { kind: 'WRONG', message, line: 1, offset: 0 };
    }
  };
  // A draft is read when it is kept and when it is shown; a large one takes a good part of a second.
  let latest: { readonly text: string; readonly result: ReadText } | undefined;
  return {
    read(text) {
      if (latest?.text !== text) latest = { text, result: read(text) };
      return latest.result;
    },
    write: (value, format) =>
      format === 'JSON' ? `${JSON.stringify(value, undefined, 2)}\n` : stringify(value, { lineWidth: 110 }),
    locate(text, path) {
      const parsed = parseDocument(text);
      for (let length = path.length; length > 0; length--) {
        const found = parsed.getIn(path.slice(0, length), true);
        if (isNode(found) && found.range) return toFirstLine(text, found.range[0], found.range[1]);
      }
      return toFirstLine(text, 0, text.length);
    },
  };
}

/** Returns the first line of a part of a text: nobody looks for what is wrong at its end. */
export function toFirstLine(text: string, from: number, to: number = text.length): TextRange {
  const end = text.indexOf('\n', from);
  return { from, to: Math.min(to, end < 0 ? text.length : end) };
}
