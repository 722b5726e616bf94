import type { JSX } from 'preact';

import { linkTo, route } from '../../parts/route.ts';
import { DEVICES } from '../../text/devices.ts';
import { fill } from '../../text/fill.ts';
import type { PageProps } from '../pages.ts';
import { AddView } from './add/address-step.tsx';
import { BrowseView } from './browse-view.tsx';
import { ChannelsView } from './channels-view.tsx';
import { ConnectionsView } from './connections-view.tsx';
import { LineView } from './line-view.tsx';
import { SheetView } from './sheet-view.tsx';
import { TemplateView } from './template-view.tsx';

const SECTIONS = ['list', 'add', 'line', 'browse', 'template', 'sheet'] as const;

/** Devices: connections with their states, a new device, channels of an asset, the load of a line. */
export function DevicesPage({ title }: PageProps): JSX.Element {
  const [, part, name] = route.value.parts;
  const isChannels = part === 'channels' && name !== undefined;
  const section = isChannels ? undefined : (SECTIONS.find((candidate) => candidate === part) ?? 'list');
  return (
    <>
      <header>
        <h1>{title}</h1>
        <nav class="sections" aria-label={title}>
          {SECTIONS.map((each) => (
            <a
              key={each}
              href={linkTo(each === 'list' ? ['devices'] : ['devices', each])}
              aria-current={each === section ? 'page' : undefined}
            >
              {fill(DEVICES[each])}
            </a>
          ))}
        </nav>
      </header>
      {isChannels ? <ChannelsView key={name} pid={name} /> : undefined}
      {section === 'list' ? <ConnectionsView /> : undefined}
      {section === 'add' ? <AddView /> : undefined}
      {section === 'template' ? <TemplateView name={name} /> : undefined}
      {section === 'browse' ? <BrowseView pid={name} /> : undefined}
      {section === 'line' ? <LineView pid={name} /> : undefined}
      {section === 'sheet' ? <SheetView pid={name} /> : undefined}
    </>
  );
}
