import { useEffect, useRef, useState } from 'preact/hooks';

import type { DocumentText } from '../../forms/document-text.ts';
import type { TextOutline } from '../../forms/text-outline.ts';

/** Text with the outline of its value. */
interface Reading {
  readonly text: string;
  readonly result: TextOutline;
}

interface ReadingOptions {
  readonly texts: DocumentText;
  readonly secretNames: ReadonlySet<string>;
  /** Undefined: nothing to parse. */
  readonly text: string | undefined;
  /** Called with each text that was parsed. */
  readonly onRead: (reading: Reading) => void;
  /** Called when the page is left. */
  readonly onLeave: () => void;
}

/** Outlines of a text that is being edited. */
export interface Readings {
  /** Latest outline, possibly of an earlier text. */
  readonly latest: TextOutline | undefined;
  /** Latest outline, unless its error may have moved since. */
  readonly shown: TextOutline | undefined;
  /** Outline of exactly this text. */
  find(text: string): TextOutline | undefined;
  /** Parses a text after a pause in typing. */
  read(text: string): void;
  /** Holds back outlines until the next text: the editor shows a later text than the one being parsed. */
  hold(): void;
}

// A half-typed key is not an error; the editor has waited before.
const SETTLED_MS = 100;

/** Parses texts in a worker. The page renders again only if a text has another outline than the one before. */
export function useReading(options: ReadingOptions): Readings {
  const { texts, text, secretNames } = options;
  const [{ latest, isShown }, show] = useState<{
    readonly latest: TextOutline | undefined;
    readonly isShown: boolean;
  }>({ latest: undefined, isShown: false });
  const now = useRef(options);
  now.current = options;
  const parsed = useRef<Reading | undefined>(undefined);
  const wanted = useRef<string | undefined>(undefined);
  const isHeld = useRef(false);
  const abort = useRef<AbortController | undefined>(undefined);

  const showParsed = (): void => {
    const result = parsed.current?.result;
    show((before) =>
      before.isShown && isSame(before.latest, result) ? before : { latest: result, isShown: true },
    );
  };
  const read = (next: string): void => {
    isHeld.current = false;
    if (wanted.current === next && parsed.current?.text !== next) return;
    wanted.current = next;
    abort.current?.abort();
    if (parsed.current?.text === next) {
      showParsed();
      return;
    }
    const before = parsed.current;
    if (before === undefined || mayHaveMoved(before, next)) {
      show((each) => (each.isShown ? { ...each, isShown: false } : each));
    }
    const own = new AbortController();
    abort.current = own;
    const timer = setTimeout(() => {
      const { texts: reader, secretNames: names } = now.current;
      void reader.outline(next, names, own.signal).then((result) => {
        if (result === undefined || own.signal.aborted) return;
        parsed.current = { text: next, result };
        if (!isHeld.current) showParsed();
        now.current.onRead({ text: next, result });
      });
    }, SETTLED_MS);
    own.signal.addEventListener('abort', () => clearTimeout(timer));
  };

  const forget = (): void => {
    abort.current?.abort();
    wanted.current = undefined;
    parsed.current = undefined;
  };
  useEffect(forget, [texts, secretNames]);
  useEffect(() => {
    if (text === undefined) {
      forget();
      show((each) => (each.latest === undefined ? each : { latest: undefined, isShown: false }));
    } else if (wanted.current !== text) read(text);
  }, [texts, text, secretNames]);
  useEffect(() => {
    const leave = (): void => now.current.onLeave();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
      abort.current?.abort();
    };
  }, []);
  return {
    latest,
    shown: isShown ? latest : undefined,
    find: (each) => (parsed.current?.text === each ? parsed.current.result : undefined),
    read,
    hold() {
      isHeld.current = true;
    },
  };
}

/** True if the line of an error can be another one in a later text. */
function mayHaveMoved({ text, result }: Reading, next: string): boolean {
  return result.kind === 'WRONG' && !next.startsWith(text.slice(0, result.offset));
}

function isSame(one: TextOutline | undefined, other: TextOutline | undefined): boolean {
  return (
    one?.kind === 'VALUE' &&
    other?.kind === 'VALUE' &&
    one.holdsSecret === other.holdsSecret &&
    one.driver === other.driver
  );
}
