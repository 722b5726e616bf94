import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import type { Rest } from './rest.ts';
import type { PageSession } from './session.ts';

/** What every view works with. */
export interface Console {
  readonly rest: Rest;
  readonly session: PageSession;
}

/** Hands the console down to the views. */
export const ConsoleContext = createContext<Console | undefined>(undefined);

/** Returns the console that a view belongs to. */
export function useConsole(): Console {
  const found = useContext(ConsoleContext);
  if (found === undefined) throw new Error('a view outside of the console');
  return found;
}
