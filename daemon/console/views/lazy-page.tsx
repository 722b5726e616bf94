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

// The first page is shown by then, and what it asked for has come.
const AFTER_FIRST_PAGE_MS = 2000;

const loaded = signal<typeof lazyPages | undefined>(undefined);
const hasFailed = signal(false);
let isLoading = false;

/**
 * Has the pages loaded: at once where one of them is wanted first, else soon after the first is shown. A gateway that falls silent
 * then keeps none of them away.
 */
export function loadLazyPagesSoon(): void {
  const [first = 'overview'] = route.value.parts;
  setTimeout(loadLazyPages, first === 'overview' ? AFTER_FIRST_PAGE_MS : 0);
}

/** Shows a page whose code comes later than that of the first. */
export function LazyPage({ name, title }: PageProps & { readonly name: string }): JSX.Element {
  const { isUp } = useConsole().rest.link.state.value;
  useEffect(loadLazyPages, [isUp]);
  const View = loaded.value?.findView(name);
  if (View !== undefined) return <View title={title} />;
  // While the gateway is silent, the strip above tells it, and the next try is made when it is back.
  return hasFailed.value && isUp ? <MissingPage /> : <></>;
}

/** Some browsers remember that a file could not be loaded, and after an upgrade it has another name: only a reload helps. */
function MissingPage(): JSX.Element {
  return (
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
