import { useEffect, useRef, useState } from 'preact/hooks';

import type { DocumentText } from '../../forms/document-text.ts';
import type { TextOutline } from '../../forms/read-text.ts';

/** Text with the outline of its value. */
export interface Reading {
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
  /** Called when the page is left before the text was parsed. */
  readonly onLeave: () => void;
}

// A half-typed key is not an error; the editor has waited before.
const SETTLED_MS = 100;

/** Parses a text in a worker after a pause in typing. Returns the latest result, possibly of an earlier text. */
export function useReading(options: ReadingOptions): Reading | undefined {
  const { texts, text, secretNames } = options;
  const [reading, setReading] = useState<Reading | undefined>(undefined);
  const isPending = text !== undefined && reading?.text !== text;
  const latest = useRef(options);
  latest.current = options;
  useEffect(() => {
    if (!isPending || text === undefined) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      void texts.outline(text, secretNames, abort.signal).then((result) => {
        if (result === undefined) return;
        setReading({ text, result });
        latest.current.onRead({ text, result });
      });
    }, SETTLED_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [texts, text, secretNames, isPending]);
  useEffect(() => {
    const leave = (): void => latest.current.onLeave();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, []);
  return reading;
}
