import type { Text } from '@codemirror/state';

/** Passes on the text of an editor after a pause in typing. */
export interface SettledText {
  /** The text has changed. */
  change(text: Text): void;
  /** Passes on the latest text at once, if it has not been passed on. */
  flush(): void;
  /** Forgets a change that has not been passed on. */
  cancel(): void;
}

const PAUSE_MS = 400;
const STEP_MS = 2;

/** Joins the lines of a large text in steps, so that a key does not wait for all of them. */
export function createSettledText(onText: (text: string) => void): SettledText {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest: Text | undefined;
  const cancel = (): void => {
    clearTimeout(timer);
    latest = undefined;
  };
  const pass = (text: string): void => {
    cancel();
    onText(text);
  };
  const join = (parts: readonly Text[], joined: string[]): void => {
    const end = performance.now() + STEP_MS;
    while (performance.now() < end) {
      const part = parts[joined.length];
      if (part === undefined) {
        timer = setTimeout(() => pass(joined.join('\n')));
        return;
      }
      joined.push(part.toString());
    }
    timer = setTimeout(() => join(parts, joined));
  };
  return {
    change(text) {
      clearTimeout(timer);
      latest = text;
      timer = setTimeout(() => join(text.children ?? [text], []), PAUSE_MS);
    },
    flush() {
      if (latest !== undefined) pass(latest.toString());
    },
    cancel,
  };
}
