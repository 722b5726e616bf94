import type { JSX } from 'preact';

import { Outline } from '../../parts/outline.tsx';
import { linkTo, route } from '../../parts/route.ts';
import { SectionLinks } from '../../parts/section-links.tsx';
import { DEVICES } from '../../text/devices.ts';
import { fill } from '../../text/fill.ts';
import { MissingCode, useLazyCode } from '../lazy-code.tsx';
import type { PageProps } from '../pages.ts';
import { ConnectionsView } from './connections-view.tsx';
import { LineView } from './line-view.tsx';
import { DEVICE_SETUP } from './setup.ts';

const SECTIONS = ['list', 'add', 'line', 'browse', 'template', 'sheet'] as const;
type Section = (typeof SECTIONS)[number] | 'channels';
const TITLES = {
  list: DEVICES.list,
  add: DEVICES.add,
  line: DEVICES.line,
  browse: DEVICES.browse,
  template: DEVICES.template,
  sheet: DEVICES.sheet,
} as const;

/** Devices: connections with their states, a new device, channels of an asset, the load of a line. */
export function DevicesPage({ title }: PageProps): JSX.Element {
  const [, part, name] = route.value.parts;
  const isChannels = part === 'channels' && name !== undefined;
  const section = isChannels ? 'channels' : (SECTIONS.find((candidate) => candidate === part) ?? 'list');
  return (
    <>
      <header>
        <h1>{title}</h1>
        <SectionLinks
          label={title}
          sections={SECTIONS.map((each) => ({
            link: linkTo(each === 'list' ? ['devices'] : ['devices', each]),
            words: fill(TITLES[each]),
            isHere: each === section,
          }))}
        />
      </header>
      {section === 'list' ? <ConnectionsView /> : undefined}
      {section === 'line' ? <LineView pid={name} /> : undefined}
      {section === 'list' || section === 'line' ? undefined : <SetupSection section={section} name={name} />}
    </>
  );
}

interface SetupSectionProps {
  readonly section: Exclude<Section, 'list' | 'line'>;
  /** Last part of the link. */
  readonly name: string | undefined;
}

/** Section whose code is loaded on demand. */
function SetupSection({ section, name }: SetupSectionProps): JSX.Element {
  const { value: views, isMissing } = useLazyCode(DEVICE_SETUP);
  if (views === undefined) return isMissing ? <MissingCode /> : <Outline />;
  if (section === 'channels') return <views.ChannelsView key={name} pid={name ?? ''} />;
  if (section === 'template') return <views.TemplateView name={name} />;
  if (section === 'browse') return <views.BrowseView pid={name} />;
  return section === 'sheet' ? <views.SheetView key={name} pid={name} /> : <views.AddView />;
}
