import type { JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { LongName } from '../../parts/long-name.tsx';
import { FailureNotice } from '../../parts/notice.tsx';
import { fill } from '../../text/fill.ts';
import { SEARCH } from '../../text/search.ts';
import { findEntries } from './search-entries.ts';
import type { SearchEntry } from './search-entries.ts';
import { useAssetEntries, useNamedEntries } from './use-entries.ts';

// Results of the gateway follow the text when the user pauses.
const REST_MS = 150;

interface SearchDialogProps {
  readonly onClose: () => void;
  /** Called before a result is opened. */
  readonly onOpen: () => void;
}

/** Search for assets, channels, settings, pages and identities. */
export function SearchDialog({ onClose, onOpen }: SearchDialogProps): JSX.Element {
  const { session } = useConsole();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [sought, setSought] = useState('');
  const [active, setActive] = useState(0);
  const id = useId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    const timer = setTimeout(() => setSought(text.trim()), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const named = useNamedEntries();
  const assets = useAssetEntries(sought);
  const own = text.trim() === '' ? [] : findEntries(named, text);
  const found = text.trim() === '' ? [] : [...(assets.value ?? []), ...own];
  const current = Math.min(active, found.length - 1);
  const open = (entry: SearchEntry | undefined): void => {
    if (entry === undefined) return;
    // Outside of an open dialog nothing takes the focus.
    dialog.current?.close();
    onOpen();
    location.hash = entry.link;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      open(found[current]);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const next = current + (event.key === 'ArrowDown' ? 1 : -1);
      setActive(Math.max(0, Math.min(found.length - 1, next)));
    }
  };
  useLayoutEffect(() => {
    document.getElementById(`${id}-${current}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, current]);
  // Before the gateway has responded, nothing is known to be missing.
  const isComplete = sought === text.trim() && (assets.value !== undefined || !assets.isWanted);
  return (
    <dialog
      class="search"
      aria-label={fill(SEARCH.title)}
      ref={dialog}
      onClose={onClose}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) currentTarget.close();
      }}
    >
      <input
        type="search"
        role="combobox"
        autocomplete="off"
        autofocus
        placeholder={fill(SEARCH.hint)}
        aria-label={fill(SEARCH.title)}
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${current}`}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={fill(SEARCH.title)} hidden={found.length === 0}>
        {found.map((entry, index) => (
          <li
            key={`${entry.kind} ${entry.name}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            onClick={() => open(entry)}
          >
            <span class="kind">{entry.kind}</span>{' '}
            <span>
              <LongName text={entry.name} />
            </span>{' '}
            <span class="soft">{entry.about}</span>
          </li>
        ))}
      </ul>
      {text.trim() !== '' && found.length === 0 && isComplete && session.name !== undefined ? (
        <p class="soft" role="status">
          {fill(SEARCH.none, { text: text.trim() })}
        </p>
      ) : undefined}
      {assets.error === undefined ? undefined : <FailureNotice error={assets.error} />}
    </dialog>
  );
}
