import type { ComponentType } from 'preact';

import type { PageProps } from './pages.ts';

// All pages but the overview: one file, loaded after the first page is shown.
const FILES = import.meta.glob<Readonly<Record<string, ComponentType<PageProps>>>>(
  ['./*/*-page.tsx', '!./overview/overview-page.tsx'],
  { eager: true },
);

/** Returns the view of a page: the one export of its file. */
export function findView(name: string): ComponentType<PageProps> | undefined {
  return Object.values(FILES[`./${name}/${name}-page.tsx`] ?? {})[0];
}
