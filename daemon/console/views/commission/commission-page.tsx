import type { JSX } from 'preact';

import { linkTo, route } from '../../parts/route.ts';
import { COMMISSION } from '../../text/commission.ts';
import { fill } from '../../text/fill.ts';
import type { PageProps } from '../pages.ts';
import { BrowseView } from './browse-view.tsx';
import { ConnectView } from './connect-view.tsx';
import { LineView } from './line-view.tsx';
import { SheetView } from './sheet-view.tsx';
import { TemplateView } from './template-view.tsx';

const SECTIONS = ['connect', 'template', 'browse', 'line', 'sheet'] as const;

/** Commissioning: connects devices, creates channels, shows the load of a line. */
export function CommissionPage({ title }: PageProps): JSX.Element {
  const [, part, name] = route.value.parts;
  const section = SECTIONS.find((candidate) => candidate === part) ?? 'connect';
  return (
    <>
      <header>
        <h1>{title}</h1>
        <nav class="sections" aria-label={title}>
          {SECTIONS.map((each) => (
            <a
              key={each}
              href={linkTo(each === 'connect' ? ['commission'] : ['commission', each])}
              aria-current={each === section ? 'page' : undefined}
            >
              {fill(COMMISSION[each])}
            </a>
          ))}
        </nav>
      </header>
      {section === 'connect' ? <ConnectView /> : undefined}
      {section === 'template' ? <TemplateView name={name} /> : undefined}
      {section === 'browse' ? <BrowseView pid={name} /> : undefined}
      {section === 'line' ? <LineView pid={name} /> : undefined}
      {section === 'sheet' ? <SheetView pid={name} /> : undefined}
    </>
  );
}
