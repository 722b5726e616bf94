import { useEffect, useRef, useState } from 'preact/hooks';

import type { DocumentText } from '../../forms/document-text.ts';
import type { ReadText } from '../../forms/read-text.ts';

/** Text with its parsed value. */
export interface Reading {
  readonly text: string;
  readonly result: ReadText;
}

interface ReadingOptions {
  readonly texts: DocumentText;
  /** Undefined: nothing to parse. */
  readonly text: string | undefined;
  /** Called with the text after each pause, and with an unparsed one when the page is left. */
  readonly onRead: (reading: Reading) => void;
}

// A half-typed key is not an error.
const SETTLED_MS = 500;

/** Parses a text in a worker after a pause in typing. Returns the latest result, possibly of an earlier text. */
export function useReading(options: ReadingOptions): Reading | undefined {
  const { texts, text } = options;
  const [reading, setReading] = useState<Reading | undefined>(undefined);
  const isPending = text !== undefined && reading?.text !== text;
  const latest = useRef({ ...options, isPending });
  latest.current = { ...options, isPending };
  useEffect(() => {
    if (!isPending || text === undefined) return undefined;
    let end: (() => void) | undefined;
    const timer = setTimeout(() => {
      end = texts.startReading(text, (result) => {
        setReading({ text, result });
        latest.current.onRead({ text, result });
      });
    }, SETTLED_MS);
    return () => {
      clearTimeout(timer);
      end?.();
    };
  }, [texts, text, isPending]);
  useEffect(() => {
    const readPending = (): void => {
      const { current } = latest;
      if (!current.isPending || current.text === undefined) return;
      current.onRead({ text: current.text, result: current.texts.read(current.text) });
    };
    addEventListener('pagehide', readPending);
    return () => {
      removeEventListener('pagehide', readPending);
      readPending();
    };
  }, []);
  return reading;
}
