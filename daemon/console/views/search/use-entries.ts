import { useConsole } from '../../api/console-context.ts';
import type { searchAssets } from '../../../interface/plant/asset-search.ts';
import type { listDrivers } from '../../../interface/plant/drivers.ts';
import type { listIdentities } from '../../../interface/security/identities.ts';
import type { Schema } from '../../forms/schema.ts';
import { linkTo } from '../../parts/route.ts';
import { useResource } from '../../parts/use-resource.ts';
import type { Resource } from '../../parts/use-resource.ts';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { SEARCH } from '../../text/search.ts';
import { IDENTITY_ROOT } from '../access/identity-form.ts';
import { isOpenTo, PAGES, readsAssets } from '../pages.ts';
import { listSettingEntries, toAssetEntry } from './search-entries.ts';
import type { SearchEntry } from './search-entries.ts';

/** Results of the gateway. */
interface AssetEntries extends Resource<readonly SearchEntry[]> {
  /** False if the user has no assets, or the text is empty. */
  readonly isWanted: boolean;
}

/** Finds assets and channels. */
export function useAssetEntries(text: string): AssetEntries {
  const { rest, session } = useConsole();
  const mayRead = readsAssets(session);
  const isWanted = mayRead && text !== '';
  const found = useResource(isWanted ? text : undefined, async (abort) => {
    const query = new URLSearchParams({ text });
    const path = `/services/assets/_search?${query.toString()}` as const;
    return (await rest.call<typeof searchAssets>('GET', path, { abort })).map(toAssetEntry);
  });
  return { ...found, isWanted };
}

/** Lists what is found by the page itself: pages, connections, settings, identities. */
export function useNamedEntries(): readonly SearchEntry[] {
  const { rest, session } = useConsole();
  const mayConfigure = session.may('rest.configuration');
  const drivers = useResource(mayConfigure ? 'drivers' : undefined, (abort) =>
    rest.call<typeof listDrivers>('GET', '/services/drivers/v1', { abort }),
  );
  const schema = useResource(mayConfigure ? 'schema' : undefined, (abort) =>
    rest.get<Schema>('/services/configuration/v1/schema', abort),
  );
  const identities = useResource(session.may('rest.identity') ? 'identities' : undefined, (abort) =>
    rest.call<typeof listIdentities>('GET', `${IDENTITY_ROOT}/identities`, { abort }),
  );
  return [
    ...PAGES.filter((page) => isOpenTo(page, session)).map(({ name, title }) => ({
      kind: fill(SEARCH.page),
      name: fill(title),
      about: '',
      link: linkTo([name]),
    })),
    ...(drivers.value ?? []).map(({ pid, endpoint }) => ({
      kind: fill(SEARCH.driver),
      name: pid,
      about: endpoint,
      link: linkTo(['configuration', 'drivers', pid]),
    })),
    ...(mayConfigure
      ? [
          ...listSettingEntries(schema.value),
          {
            kind: fill(SEARCH.page),
            name: fill(CONFIGURATION.snapshots),
            about: '',
            link: linkTo(['configuration', 'snapshots']),
          },
        ]
      : []),
    ...(identities.value?.userConfig ?? []).map(({ userName }) => ({
      kind: fill(SEARCH.identity),
      name: userName,
      about: '',
      link: linkTo(['access', 'identities', userName]),
    })),
  ];
}
