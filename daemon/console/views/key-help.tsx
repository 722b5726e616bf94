import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { chooseSingleKeys, hasSingleKeys } from '../parts/single-keys.ts';
import { fill } from '../text/fill.ts';
import { KEYS, KEY_NAMES } from '../text/keys.ts';
import { SHELL } from '../text/shell.ts';
import { isOpenTo, PAGES } from './pages.ts';
import type { KeyRow, Page } from './pages.ts';

/** Lists the keyboard shortcuts of a page; can disable single-key shortcuts. */
export function KeyHelp({
  page,
  onClose,
}: Readonly<{ page: Page | undefined; onClose: () => void }>): JSX.Element {
  const { session } = useConsole();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const own = (page?.keys ?? []).map(toKey);
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
        keys={listKeysEverywhere(PAGES.filter((other) => isOpenTo(other, session)))}
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
              <kbd class="code">{key}</kbd>
            </th>
            <td>{does}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Label of a key, and its action. */
interface NamedKey {
  readonly key: string;
  readonly does: string;
}

const EVERYWHERE: readonly KeyRow[] = [
  ['?', KEYS.help],
  [KEY_NAMES.search, KEYS.search],
  ['f', KEYS.filter],
  ['Esc', KEYS.escape],
  [KEY_NAMES.submit, KEYS.next],
];

/** Lists the shortcuts of every page, including those that open pages. */
function listKeysEverywhere(pages: readonly Page[]): readonly NamedKey[] {
  const jumps = pages.map(({ key, title }) => ({
    key: `g ${key}`,
    does: fill(KEYS.goTo, { page: fill(title) }),
  }));
  return [...EVERYWHERE.map(toKey), ...jumps];
}

function toKey([key, does]: KeyRow): NamedKey {
  return { key: typeof key === 'string' ? key : fill(key), does: fill(does) };
}
