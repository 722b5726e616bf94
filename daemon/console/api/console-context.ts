import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import type { Rest } from './rest.ts';
import type { PageSession } from './session.ts';

/** Services available to every view. */
export interface Console {
  readonly rest: Rest;
  readonly session: PageSession;
}

/** Provides the console to the views. */
export const ConsoleContext = createContext<Console | undefined>(undefined);

/** Returns the console of the enclosing view. */
export function useConsole(): Console {
  const found = useContext(ConsoleContext);
  if (found === undefined) throw new Error('a view outside of the console');
  return found;
}
