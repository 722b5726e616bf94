import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { chooseSingleKeys, hasSingleKeys } from '../parts/single-keys.ts';
import { fill } from '../text/fill.ts';
import { KEYS } from '../text/keys.ts';
import { SHELL } from '../text/shell.ts';
import { listKeysEverywhere, listKeysOf } from './page-keys.ts';
import type { NamedKey } from './page-keys.ts';
import { PAGES } from './pages.ts';
import type { Page } from './pages.ts';

interface KeyHelpProps {
  readonly page: Page | undefined;
  readonly onClose: () => void;
}

/** Lists the keys of a page, and has those of one sign switched off. */
export function KeyHelp({ page, onClose }: KeyHelpProps): JSX.Element {
  const { session } = useConsole();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const own = page === undefined ? [] : listKeysOf(page);
  return (
    <dialog class="key-help" aria-labelledby="key-help" ref={dialog} onClose={onClose}>
      <header>
        <h1 id="key-help">{fill(KEYS.title)}</h1>
        <button type="button" onClick={() => dialog.current?.close()}>
          {fill(SHELL.close)}
        </button>
      </header>
      <label>
        <input
          type="checkbox"
          checked={hasSingleKeys.value}
          onChange={({ currentTarget }) => chooseSingleKeys(currentTarget.checked)}
        />
        {fill(KEYS.single)}
      </label>
      {page === undefined || own.length === 0 ? undefined : <KeyTable title={fill(page.title)} keys={own} />}
      <KeyTable
        title={fill(KEYS.everywhere)}
        keys={listKeysEverywhere(PAGES.filter(({ isOpenTo }) => isOpenTo(session)))}
      />
    </dialog>
  );
}

function KeyTable({
  title,
  keys,
}: {
  readonly title: string;
  readonly keys: readonly NamedKey[];
}): JSX.Element {
  return (
    <table>
      <caption>{title}</caption>
      <tbody>
        {keys.map(({ key, does }) => (
          <tr key={key}>
            <th scope="row">
              <kbd class="values">{key}</kbd>
            </th>
            <td>{does}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
