import type { ReadText } from './read-text.ts';

/** Text format of a part of the configuration. */
export type TextFormat = 'YAML' | 'JSON';

/** Range of a text. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** Reads and writes YAML, of which JSON is a subset. */
export interface DocumentText {
  /** Parses a text synchronously; a large one blocks the page. */
  read(text: string): ReadText;
  /**
   * Parses a text in a worker, without blocking the page.
   *
   * @returns function that cancels; `onRead` is then no longer called
   */
  startReading(text: string, onRead: (result: ReadText) => void): () => void;
  write(value: unknown, format: TextFormat): string;
  /** Returns the range of the value at a path, or of its parent if it is missing. */
  locate(text: string, path: readonly (string | number)[]): TextRange;
}

/** Loads the YAML library: it is large, and few pages need it. */
export async function loadDocumentText(): Promise<DocumentText> {
  const [{ readText }, { isNode, parseDocument, stringify }] = await Promise.all([
    import('./read-text.ts'),
    import('yaml'),
  ]);
  let latest: { readonly text: string; readonly result: ReadText } | undefined;
  const read = (text: string): ReadText => {
    if (latest?.text !== text) latest = { text, result: readText(text) };
    return latest.result;
  };
  return {
    read,
    startReading(text, onRead) {
      const worker = new Worker(new URL('./reading-worker.ts', import.meta.url), { type: 'module' });
      const finish = (result: ReadText): void => {
        worker.terminate();
        latest = { text, result };
        onRead(result);
      };
      let isEnded = false;
      worker.addEventListener('message', ({ data }: MessageEvent<ReadText>) => !isEnded && finish(data));
      // An update of the gateway removes its file.
      worker.addEventListener('error', () => !isEnded && finish(read(text)));
      worker.postMessage(text, []);
      return () => {
        isEnded = true;
        worker.terminate();
      };
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

/** Returns the first line of a range: errors are marked at their start. */
export function toFirstLine(text: string, from: number, to: number = text.length): TextRange {
  const end = text.indexOf('\n', from);
  return { from, to: Math.min(to, end < 0 ? text.length : end) };
}
