import { outlineText } from './text-outline.ts';
import type { ReadingTask, ReadText, TextOutline } from './text-outline.ts';

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
  readAtOnce(text: string): ReadText;
  /** Parses a text in a worker, without blocking the page. */
  read(text: string): Promise<ReadText>;
  /**
   * Parses a text in a worker and returns what is needed of it while it is typed.
   *
   * @param secretNames keys that hold secrets
   * @returns undefined if it was aborted
   */
  outline(
    text: string,
    secretNames: ReadonlySet<string>,
    abort: AbortSignal,
  ): Promise<TextOutline | undefined>;
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
  const readAtOnce = (text: string): ReadText => {
    if (latest?.text !== text) latest = { text, result: readText(text) };
    return latest.result;
  };
  return {
    readAtOnce,
    async read(text) {
      if (latest?.text !== text) {
        const result = await runWorker<ReadText>({ text, secretNames: undefined });
        // An update of the gateway removes the file of the worker.
        latest = { text, result: result ?? readText(text) };
      }
      return latest.result;
    },
    async outline(text, secretNames, abort) {
      const result = await runWorker<TextOutline>({ text, secretNames }, abort);
      return abort.aborted ? undefined : (result ?? outlineText(readAtOnce(text), secretNames));
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

/** Runs a worker for one text. Returns undefined if it cannot run, or was aborted. */
function runWorker<Result>(task: ReadingTask, abort?: AbortSignal): Promise<Result | undefined> {
  const worker = new Worker(new URL('./reading-worker.ts', import.meta.url), { type: 'module' });
  const ended = new Promise<Result | undefined>((resolve) => {
    worker.addEventListener('message', ({ data }: MessageEvent<Result>) => resolve(data));
    worker.addEventListener('error', () => resolve(undefined));
    abort?.addEventListener('abort', () => resolve(undefined));
  });
  worker.postMessage(task, []);
  return ended.finally(() => worker.terminate());
}

/** Returns the first line of a range: errors are marked at their start. */
export function toFirstLine(text: string, from: number, to: number = text.length): TextRange {
  const end = text.indexOf('\n', from);
  return { from, to: Math.min(to, end < 0 ? text.length : end) };
}
