import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { fill } from '../text/fill.ts';
import { SEARCH } from '../text/search.ts';
import type * as searchDialog from './search/search-dialog.tsx';

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
export function SearchPanel(props: Parameters<typeof searchDialog.SearchDialog>[0]): JSX.Element | undefined {
  const [loaded, setLoaded] = useState<typeof searchDialog | undefined>(undefined);
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    import('./search/search-dialog.tsx').then(setLoaded, () => setFailed(true));
  }, []);
  if (isFailed) return <Notice level="attention">{fill(SEARCH.notLoaded)}</Notice>;
  return loaded === undefined ? undefined : <loaded.SearchDialog {...props} />;
}
