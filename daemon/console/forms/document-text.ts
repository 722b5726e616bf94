import type { ReadText } from './read-text.ts';

/** How a part of the configuration is written. */
export type TextFormat = 'YAML' | 'JSON';

/** A part of a text. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** Reads and writes YAML; JSON is part of it. */
export interface DocumentText {
  /** Reads a text synchronously: a large one blocks the page. */
  read(text: string): ReadText;
  /**
   * Reads a text in a worker, without blocking the page.
   *
   * @returns cancels the reading; `onRead` is not called any more
   */
  startReading(text: string, onRead: (result: ReadText) => void): () => void;
  write(value: unknown, format: TextFormat): string;
  /** Returns where the value of a path is, or what it would be in where it is missing. */
  locate(text: string, path: readonly (string | number)[]): TextRange;
}

/** Loads what reads YAML: it is large, and few pages need it. */
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
      // Its file goes with an update of the gateway.
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

/** Returns the first line of a part of a text: nobody looks for what is wrong at its end. */
export function toFirstLine(text: string, from: number, to: number = text.length): TextRange {
  const end = text.indexOf('\n', from);
  return { from, to: Math.min(to, end < 0 ? text.length : end) };
}
