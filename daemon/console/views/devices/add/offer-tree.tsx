import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { LongName } from '../../../parts/long-name.tsx';
import { DEVICES } from '../../../text/devices.ts';
import { fill } from '../../../text/fill.ts';
import { formatCount } from '../../../text/format.ts';
import { translateText } from '../scan-words.ts';
import type { Meaning, Offer, OfferFolder } from './offer.ts';

interface OfferTreeProps {
  readonly label: string;
  readonly root: OfferFolder;
  readonly taken: ReadonlySet<string>;
  readonly onTake: (keys: readonly string[], isTaken: boolean) => void;
  readonly onMeaning: (offer: Offer, meaning: Meaning) => void;
}

const SHOWN_AT_FIRST = 100;
const OPEN_UP_TO = 24;

/** What a device has, with a tick for each value and for each folder. */
export function OfferTree({ label, root, ...others }: OfferTreeProps): JSX.Element {
  const isSmall = root.keys.length <= OPEN_UP_TO;
  return (
    <div class="offer-tree" role="group" aria-label={label}>
      <Contents folder={root} isOpen={isSmall} {...others} />
    </div>
  );
}

type BranchProps = Omit<OfferTreeProps, 'label' | 'root'> & {
  readonly folder: OfferFolder;
  /** True if its folders begin opened. */
  readonly isOpen: boolean;
};

function Contents({ folder, ...others }: BranchProps): JSX.Element {
  const [limit, setLimit] = useState(SHOWN_AT_FIRST);
  return (
    <ul>
      {folder.folders.map((inner) => (
        <Folder key={inner.path} folder={inner} {...others} />
      ))}
      {folder.offers.slice(0, limit).map((offer) => (
        <Leaf key={offer.key} offer={offer} {...others} />
      ))}
      {folder.offers.length > limit ? (
        <li>
          <button type="button" onClick={() => setLimit(limit + SHOWN_AT_FIRST)}>
            {fill(DEVICES.more)}
          </button>
        </li>
      ) : undefined}
    </ul>
  );
}

function Folder({ folder, isOpen: isOpenAtFirst, ...others }: BranchProps): JSX.Element {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { taken, onTake } = others;
  const count = folder.keys.filter((key) => taken.has(key)).length;
  const isAll = count === folder.keys.length;
  return (
    <li>
      <div class="folder">
        <button
          class="plain branch"
          type="button"
          aria-expanded={isOpen}
          aria-label={fill(isOpen ? DEVICES.closeFolder : DEVICES.openFolder, { name: folder.name })}
          onClick={() => setOpen(!isOpen)}
        >
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
        </button>
        <label class="choice">
          <input
            type="checkbox"
            checked={isAll}
            ref={(input) => {
              if (input !== null) input.indeterminate = count > 0 && !isAll;
            }}
            onChange={() => onTake(folder.keys, !isAll)}
          />{' '}
          <span class="values">
            <LongName text={folder.name} />
          </span>{' '}
          <span class="soft">
            {fill(DEVICES.takenOf, { taken: formatCount(count), count: formatCount(folder.keys.length) })}
          </span>
        </label>
      </div>
      {isOpen ? <Contents folder={folder} isOpen={isOpenAtFirst} {...others} /> : undefined}
    </li>
  );
}

function Leaf({
  offer,
  taken,
  onTake,
  onMeaning,
}: Omit<BranchProps, 'folder'> & { readonly offer: Offer }): JSX.Element {
  const { key, label, detail: text, reasons, meanings } = offer;
  return (
    <li class="leaf">
      <label class="choice">
        <input type="checkbox" checked={taken.has(key)} onChange={() => onTake([key], !taken.has(key))} />{' '}
        <span class="values">
          <LongName text={label} />
        </span>{' '}
        {meanings === undefined ? <span class="soft">{translateText({ text, reasons })}</span> : undefined}
      </label>
      {meanings === undefined ? undefined : (
        <select
          class="values"
          aria-label={fill(DEVICES.meaningOf, { name: label })}
          onChange={({ currentTarget }) => {
            const meaning = meanings[currentTarget.selectedIndex];
            if (meaning !== undefined) onMeaning(offer, meaning);
          }}
        >
          {meanings.map((meaning) => (
            <option key={meaning.label}>{meaning.label}</option>
          ))}
        </select>
      )}
    </li>
  );
}
