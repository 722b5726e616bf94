import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { Drawing, Icon } from '../parts/icon.tsx';
import { linkTo, route } from '../parts/route.ts';
import { fill } from '../text/fill.ts';
import { SHELL } from '../text/shell.ts';
import { isOpenTo, PAGES } from './pages.ts';
import type { Page } from './pages.ts';
import { UserButton } from './user-menu.tsx';

// As many as fit next to the menu on a phone.
const FIRST = 3;

/** Pages available to the user; on narrow screens, the last ones are in a menu. */
export function Rail({ current }: { readonly current: string | undefined }): JSX.Element {
  const { session } = useConsole();
  const [isOpen, setOpen] = useState(false);
  const pages = PAGES.filter((page) => isOpenTo(page, session));
  const others = pages.slice(FIRST);
  useEffect(() => setOpen(false), [route.value]);
  return (
    <nav
      class="rail"
      aria-label={fill(SHELL.pages)}
      onKeyDown={({ key }) => {
        if (key === 'Escape') setOpen(false);
      }}
    >
      {pages.slice(0, FIRST).map((page) => (
        <PageLink key={page.name} page={page} current={current} />
      ))}
      <button
        type="button"
        class={others.some(({ name }) => name === current) ? 'rail-menu current' : 'rail-menu'}
        aria-expanded={isOpen}
        aria-controls="rail-others"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="menu" />
        {fill(SHELL.menu)}
      </button>
      <div id="rail-others" class={isOpen ? 'rail-others open' : 'rail-others'}>
        {others.map((page) => (
          <PageLink key={page.name} page={page} current={current} />
        ))}
        <UserButton class="rail-own" />
      </div>
    </nav>
  );
}

function PageLink({
  page,
  current,
}: {
  readonly page: Page;
  readonly current: string | undefined;
}): JSX.Element {
  const { name, title, icon } = page;
  return (
    <a href={linkTo([name])} aria-current={name === current ? 'page' : undefined}>
      <Drawing shape={icon} />
      {fill(title)}
    </a>
  );
}
