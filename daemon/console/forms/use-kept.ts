import { useState } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';

/** What was typed into forms that were left, by identity and form. In memory alone: it can hold secrets. */
const kept = new Map<string, unknown>();

addEventListener('beforeunload', (event) => {
  // A reload would lose it: the browser shows a question.
  if (hasKeptForms()) event.preventDefault();
});

/** True if a form has unsaved input that a reload of the page would lose. */
export function hasKeptForms(): boolean {
  return kept.size > 0;
}

/** State of a form that is there again when the user comes back to its page. */
export interface KeptForm<T> {
  readonly value: T;
  /** True if the user has typed what is not saved. */
  readonly isTyped: boolean;
  /** Applies input of the user. */
  readonly type: (change: (before: T) => T) => void;
  /** Applies what the gateway found: no input that could be lost. */
  readonly put: (change: (before: T) => T) => void;
  /** Continues with another value: the input was saved, or discarded. */
  readonly restart: (value: T) => void;
}

/**
 * Keeps the state of a form while other pages are open, as browser back and links do not ask.
 *
 * @param name distinguishes the forms of all pages; the component has it as its key if it changes
 */
export function useKept<T>(name: string, begin: () => T): KeptForm<T> {
  const { session } = useConsole();
  const key = `${session.name ?? ''}\n${name}`;
  const [{ value, isTyped }, setState] = useState(() => {
    const before = kept.has(key);
    return { value: before ? (kept.get(key) as T) : begin(), isTyped: before };
  });
  const set = (change: (before: T) => T, isByUser: boolean): void =>
    setState((before) => {
      const next = { value: change(before.value), isTyped: isByUser || before.isTyped };
      if (next.isTyped) kept.set(key, next.value);
      return next;
    });
  return {
    value,
    isTyped,
    type: (change) => set(change, true),
    put: (change) => set(change, false),
    restart(next) {
      kept.delete(key);
      setState({ value: next, isTyped: false });
    },
  };
}
