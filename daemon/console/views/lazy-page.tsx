import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { Notice } from '../parts/notice.tsx';
import { route } from '../parts/route.ts';
import { fill } from '../text/fill.ts';
import { SHELL } from '../text/shell.ts';
import type * as lazyPages from './lazy-pages.ts';
import type { PageProps } from './pages.ts';

// By then the first page is shown and has its data.
const AFTER_FIRST_PAGE_MS = 2000;

const loaded = signal<typeof lazyPages | undefined>(undefined);
const hasFailed = signal(false);
let isLoading = false;

/**
 * Schedules loading of the lazy pages: at once if one of them is opened first, otherwise soon after the first page. A later
 * loss of the gateway then makes none of them unavailable.
 */
export function loadLazyPagesSoon(): void {
  const [first = 'overview'] = route.value.parts;
  setTimeout(loadLazyPages, first === 'overview' ? AFTER_FIRST_PAGE_MS : 0);
}

/** Page whose code is loaded on demand. */
export function LazyPage({ name, title }: PageProps & { readonly name: string }): JSX.Element {
  const { isUp } = useConsole().rest.link.state.value;
  useEffect(loadLazyPages, [isUp]);
  const View = loaded.value?.findView(name);
  if (View !== undefined) return <View title={title} />;
  // While the gateway is unreachable, the strip says so; loading is retried when it responds.
  return hasFailed.value && isUp ? <MissingPage title={title} /> : <></>;
}

/** Some browsers cache the failure of a file, and an upgrade renames files: only a reload helps. */
function MissingPage({ title }: PageProps): JSX.Element {
  return (
    <>
      <header>
        <h1>{title}</h1>
      </header>
      <Notice
        level="fault"
        actions={
          <button type="button" onClick={() => location.reload()}>
            {fill(SHELL.reload)}
          </button>
        }
      >
        {fill(SHELL.pageNotLoaded)}
      </Notice>
    </>
  );
}

function loadLazyPages(): void {
  if (isLoading || loaded.value !== undefined) return;
  isLoading = true;
  hasFailed.value = false;
  import('./lazy-pages.ts')
    .then(
      (pages) => {
        loaded.value = pages;
      },
      () => {
        hasFailed.value = true;
      },
    )
    .finally(() => {
      isLoading = false;
    });
}
