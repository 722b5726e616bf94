import type { JSX } from 'preact';

import { LongName } from '../../parts/long-name.tsx';
import { linkTo, route, setQuery } from '../../parts/route.ts';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { formatCount } from '../../text/format.ts';
import { listItems, SECTIONS } from '../../forms/change/edit-target.ts';
import type { Document } from '../../forms/change/edit-target.ts';

const MAXIMUM_SHOWN = 100;

/** Tree of sections and items, with links to their texts. */
export function SectionTree({ document }: { readonly document: Document }): JSX.Element {
  const { parts, query } = route.value;
  const [, section, pid] = parts;
  const sought = query.get('filter') ?? '';
  const marks = (isHere: boolean): 'page' | undefined => (isHere ? 'page' : undefined);
  return (
    <nav class="tree" aria-label={fill(CONFIGURATION.sections)}>
      <label>
        <span class="hidden">{fill(CONFIGURATION.filter)}</span>
        <input
          type="search"
          placeholder={fill(CONFIGURATION.filter)}
          value={sought}
          onInput={({ currentTarget }) => setQuery('filter', currentTarget.value)}
        />
      </label>
      <ul>
        {SECTIONS.map(({ name, title, hasItems }) => {
          const items = hasItems
            ? listItems(document, name)
                .map((item) => String(item['pid']))
                .filter((item) => item.toLowerCase().includes(sought.toLowerCase()))
            : [];
          return (
            <li key={name}>
              <a
                href={linkTo(['configuration', name])}
                aria-current={marks(section === name && pid === undefined)}
              >
                {fill(title)}
                {hasItems ? <span class="soft"> {formatCount(items.length)}</span> : undefined}
              </a>
              {items.length === 0 ? undefined : (
                <ul>
                  {items.slice(0, MAXIMUM_SHOWN).map((item) => (
                    <li key={item}>
                      <a
                        class="code"
                        href={linkTo(['configuration', name, item])}
                        aria-current={marks(section === name && pid === item)}
                      >
                        <LongName text={item} />
                      </a>
                    </li>
                  ))}
                  {items.length > MAXIMUM_SHOWN ? (
                    <li class="soft">{fill(CONFIGURATION.more, { count: items.length - MAXIMUM_SHOWN })}</li>
                  ) : undefined}
                </ul>
              )}
            </li>
          );
        })}
        <li>
          <a href={linkTo(['configuration', 'document'])} aria-current={marks(section === 'document')}>
            {fill(CONFIGURATION.whole)}
          </a>
        </li>
        <li>
          <a href={linkTo(['configuration', 'snapshots'])} aria-current={marks(section === 'snapshots')}>
            {fill(CONFIGURATION.snapshots)}
          </a>
        </li>
      </ul>
    </nav>
  );
}
