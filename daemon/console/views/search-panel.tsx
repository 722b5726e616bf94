import type { JSX } from 'preact';

import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { fill } from '../text/fill.ts';
import { SEARCH } from '../text/search.ts';
import { useLazyCode } from './lazy-code.tsx';
import { SMALL_PARTS } from './lazy-parts.ts';
import type { SearchDialog } from './search/search-dialog.tsx';

/** Button in the strip that opens the search. */
export function SearchButton({ onSearch }: { readonly onSearch: () => void }): JSX.Element {
  return (
    <button
      type="button"
      class="search-button"
      aria-label={fill(SEARCH.title)}
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K"
      onClick={onSearch}
    >
      <Icon name="search" />
      <span>{fill(SEARCH.title)}</span>
      <kbd>/</kbd>
    </button>
  );
}

/** Search dialog, whose code is loaded on demand. */
export function SearchPanel(props: Parameters<typeof SearchDialog>[0]): JSX.Element | undefined {
  const { value: parts } = useLazyCode(SMALL_PARTS);
  if (parts !== undefined) return <parts.SearchDialog {...props} />;
  return SMALL_PARTS.hasFailed ? <Notice level="attention">{fill(SEARCH.notLoaded)}</Notice> : undefined;
}
