import type { ComponentType } from 'preact';

import type { PageSession } from '../api/session.ts';
import type { IconName } from '../parts/icon.tsx';
import type { Text } from '../text/language.ts';
import { SHELL } from '../text/shell.ts';
import { AccessPage } from './access/access-page.tsx';
import { AssetsPage } from './assets/assets-page.tsx';
import { CommissionPage } from './commission/commission-page.tsx';
import { ConfigurationPage } from './configuration/configuration-page.tsx';
import { OverviewPage } from './overview/overview-page.tsx';
import { RecordPage } from './record/record-page.tsx';
import { SoftwarePage } from './software/software-page.tsx';
import { TrendsPage } from './trends/trends-page.tsx';

/** One entry of the rail. */
export interface Page {
  /** First part of its links, and the name of its icon. */
  readonly name: IconName;
  readonly title: Text;
  /** Pressed after `g`. */
  readonly key: string;
  /** What it needs; absent: nothing. */
  readonly permission?: string;
  readonly isOpenTo: (session: PageSession) => boolean;
  readonly View: ComponentType;
}

const anybody = (): boolean => true;
const readsAssets = (session: PageSession): boolean =>
  session.may('rest.assets') || session.may('rest.assets.read') || session.hasGrants;

/** The pages, in the order of the rail. */
export const PAGES: readonly Page[] = [
  { name: 'overview', title: SHELL.overview, key: 'o', isOpenTo: anybody, View: OverviewPage },
  {
    name: 'assets',
    title: SHELL.assets,
    key: 'a',
    permission: 'rest.assets.read',
    isOpenTo: readsAssets,
    View: AssetsPage,
  },
  {
    name: 'trends',
    title: SHELL.trends,
    key: 't',
    permission: 'rest.assets.read',
    isOpenTo: readsAssets,
    View: TrendsPage,
  },
  {
    name: 'commission',
    title: SHELL.commission,
    key: 'c',
    permission: 'rest.configuration',
    isOpenTo: (session) => session.may('rest.configuration'),
    View: CommissionPage,
  },
  {
    name: 'configuration',
    title: SHELL.configuration,
    key: 'k',
    permission: 'rest.configuration',
    isOpenTo: (session) => session.may('rest.configuration'),
    View: ConfigurationPage,
  },
  { name: 'access', title: SHELL.access, key: 'x', isOpenTo: anybody, View: AccessPage },
  {
    name: 'software',
    title: SHELL.software,
    key: 's',
    permission: 'rest.deploy',
    isOpenTo: (session) => session.may('rest.deploy'),
    View: SoftwarePage,
  },
  {
    name: 'record',
    title: SHELL.record,
    key: 'r',
    permission: 'rest.events',
    isOpenTo: (session) => session.may('rest.events'),
    View: RecordPage,
  },
];
