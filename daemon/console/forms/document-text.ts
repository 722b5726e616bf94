import type * as parser from './read-text.ts';
import { outlineText } from './text-outline.ts';
import type { ReadingTask, ReadText, TextOutline } from './text-outline.ts';
import type { TextRange } from './text-range.ts';

/** Text format of a part of the configuration. */
export type TextFormat = 'YAML' | 'JSON';

/** Reads and writes YAML, of which JSON is a subset. */
export interface DocumentText {
  /** Loads the parser soon, for the synchronous calls. */
  prepare(): void;
  /** Parses a text synchronously; a large one blocks the page. Returns undefined if the parser has not been loaded. */
  readAtOnce(text: string): ReadText | undefined;
  /**
   * Parses a text in a worker, without blocking the page.
   *
   * @throws if the parser cannot be loaded
   */
  read(text: string): Promise<ReadText>;
  /**
   * Parses a text in a worker and returns what is needed of it while it is typed.
   *
   * @param secretNames keys that hold secrets
   * @returns undefined if it was aborted, or if the parser cannot be loaded
   */
  outline(
    text: string,
    secretNames: ReadonlySet<string>,
    abort: AbortSignal,
  ): Promise<TextOutline | undefined>;
  write(value: unknown, format: TextFormat): string;
  /** Returns the range of the value at a path, or of its parent if it is missing; undefined if the parser has not been loaded. */
  locate(text: string, path: readonly (string | number)[]): TextRange | undefined;
}

type Parser = typeof parser;

let loadedParser: Parser | undefined;

/** Loads what writes YAML; what parses it follows on demand, since no text needs it to be shown. */
export async function loadDocumentText(): Promise<DocumentText> {
  const { writeYaml } = await import('./write-text.ts');
  let latest: { readonly text: string; readonly result: ReadText } | undefined;
  const keep = (text: string, result: ReadText): ReadText => {
    latest = { text, result };
    return result;
  };
  const readAtOnce = (text: string): ReadText | undefined => {
    if (latest?.text === text) return latest.result;
    return loadedParser === undefined ? undefined : keep(text, loadedParser.readText(text));
  };
  return {
    prepare: () => void loadParser().catch(() => undefined),
    readAtOnce,
    async read(text) {
      if (latest?.text === text) return latest.result;
      const [result] = await Promise.all([
        runWorker<ReadText>({ text, secretNames: undefined }),
        // Errors that the gateway finds in the value are located in the text.
        loadParser().catch(() => undefined),
      ]);
      // An update of the gateway removes the file of the worker.
      return keep(text, result ?? (await loadParser()).readText(text));
    },
    async outline(text, secretNames, abort) {
      const result = await runWorker<TextOutline>({ text, secretNames }, abort);
      if (abort.aborted || result !== undefined) return abort.aborted ? undefined : result;
      await loadParser().catch(() => undefined);
      const own = abort.aborted ? undefined : readAtOnce(text);
      return own === undefined ? undefined : outlineText(own, secretNames);
    },
    write: (value, format) =>
      format === 'JSON' ? `${JSON.stringify(value, undefined, 2)}\n` : writeYaml(value),
    locate: (text, path) => loadedParser?.locateValue(text, path),
  };
}

async function loadParser(): Promise<Parser> {
  loadedParser ??= await import('./read-text.ts');
  return loadedParser;
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
