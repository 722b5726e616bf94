import { createClientVerb } from './client-verb.ts';
import { formatLocalTime } from './local-time.ts';
import { formatPermissions } from './granted-permissions.ts';
import type { GrantedPermissions } from './granted-permissions.ts';
import type { Tone } from './page.ts';
import { formatTable } from './table.ts';

const ROOT = '/services/deploy/v2/_bundles';

const TONES: Readonly<Record<string, Tone>> = { ACTIVE: 'GOOD', FAILED: 'BAD' };

interface ListedProvider {
  readonly priority: number;
  readonly state: string;
  /** Milliseconds since the epoch. */
  readonly nextProbeAt?: number;
}

interface ListedStorage {
  readonly usedBytes: number;
  readonly maximumBytes: number;
  readonly isFull: boolean;
}

interface ListedBundle extends GrantedPermissions {
  readonly package: string;
  readonly name: string;
  readonly version: string;
  readonly state: string;
  readonly providers?: readonly ListedProvider[];
  readonly storage?: ListedStorage;
  /** Why it is FAILED. */
  readonly cause?: string;
  /** Milliseconds since the epoch. */
  readonly restartAt?: number;
}

/** Lists and restarts the bundles of the installed packages. */
export const bundle = createClientVerb('bundle', 'lists and restarts the bundles of packages', {
  list: {
    parameters: '',
    summary: 'lists the bundles with package, state and cause',
    run: async ({ client, show }) => {
      const { body } = await client.send('GET', ROOT);
      show(body as readonly ListedBundle[], formatBundles);
    },
  },
  restart: {
    parameters: 'NAME',
    names: ['bundle'],
    summary: 'restarts a bundle, including one that is no longer restarted',
    run: async ({ client, words: [name = ''], terminal }) => {
      await client.send('POST', `${ROOT}/${encodeURIComponent(name)}/_restart`);
      terminal.note('the bundle is being restarted\n');
    },
  },
});

function formatBundles(bundles: readonly ListedBundle[]): string {
  if (bundles.length === 0) return 'No package with bundles is installed.\n';
  return formatTable<ListedBundle>(
    [
      { title: 'PACKAGE', show: (row) => row.package },
      { title: 'BUNDLE', show: ({ name }) => name },
      { title: 'VERSION', show: ({ version }) => version },
      { title: 'STATE', show: ({ state }) => state, tone: ({ state }) => TONES[state] },
      { title: 'PERMISSIONS', show: formatPermissions, isOptional: true },
      {
        title: 'PROVIDERS',
        show: ({ providers = [] }) => providers.map(describeProvider).join(', '),
        isOptional: true,
      },
      {
        title: 'STORAGE',
        show: ({ storage }) => (storage === undefined ? '' : describeStorage(storage)),
        isOptional: true,
      },
      {
        title: 'STARTED AGAIN',
        show: ({ restartAt }) => (restartAt === undefined ? '' : formatLocalTime(restartAt)),
        isOptional: true,
      },
      { title: 'CAUSE', show: ({ cause }) => cause ?? '', isOptional: true },
    ],
    bundles,
  );
}

function describeStorage({ usedBytes, maximumBytes, isFull }: ListedStorage): string {
  const [used, maximum] = [usedBytes, maximumBytes].map((bytes) => (bytes / 1_048_576).toFixed(1));
  return `${used} of ${maximum} MiB${isFull ? ', full' : ''}`;
}

function describeProvider({ priority, state, nextProbeAt }: ListedProvider): string {
  const until = nextProbeAt === undefined ? '' : ` until ${formatLocalTime(nextProbeAt)}`;
  return `${priority} ${state.toLowerCase()}${until}`;
}
