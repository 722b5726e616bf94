/** How a part of the configuration is written. */
export type TextFormat = 'YAML' | 'JSON';

/** What a text says, or where it cannot be read. */
export type ReadText =
  | { readonly kind: 'VALUE'; readonly value: unknown }
  | { readonly kind: 'WRONG'; readonly message: string; readonly line: number };

/** Reads and writes YAML; JSON is part of it. */
export interface DocumentText {
  read(text: string): ReadText;
  write(value: unknown, format: TextFormat): string;
  /** Returns where the value of a path begins; undefined when it is not in the text. */
  locate(text: string, path: readonly (string | number)[]): number | undefined;
}

/** Loads what reads YAML: it is large, and few pages need it. */
export async function loadDocumentText(): Promise<DocumentText> {
  const { LineCounter, isNode, parseDocument, stringify } = await import('yaml');
  return {
    read(text) {
      const lines = new LineCounter();
      const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false });
      const [error] = parsed.errors;
      if (error !== undefined) {
        return { kind: 'WRONG', message: error.message, line: lines.linePos(error.pos[0]).line };
      }
      try {
        // Few aliases are meant; many are a mistake or an attack.
        return { kind: 'VALUE', value: parsed.toJS({ maxAliasCount: 100 }) };
      } catch (thrown) {
        return { kind: 'WRONG', message: thrown instanceof Error ? thrown.message : '', line: 1 };
      }
    },
    write: (value, format) =>
      format === 'JSON' ? `${JSON.stringify(value, undefined, 2)}\n` : stringify(value, { lineWidth: 110 }),
    locate(text, path) {
      const found = parseDocument(text).getIn(path, true);
      return isNode(found) ? found.range?.[0] : undefined;
    },
  };
}
